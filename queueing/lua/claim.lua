-- ARGV[17]   the length of a generation of passes
-- ARGV[18..] places
-- Answers four fields for each place, a pass or why there is none, and how many
-- passes were given so far. Asking again costs nothing: whoever claimed in this
-- generation or the last one is given the same pass.

local length = tonumber(ARGV[17])

refill()
local closed = now < opens and 'not_open' or now >= closes and 'ended' or paused and 'paused'

local function bitmap(gen)
  return KEYS[2 + gen % 2]
end

-- A generation that begins takes over the bitmap of the one before the last.
-- Generations never go back, even if the clock does.
local gen
local function begin()
  local last = line.gen or -2
  gen = math.max(math.floor(now / length), last)
  for begun = math.max(last, gen - 2) + 1, gen do
    redis.call('DEL', bitmap(begun))
  end
  set('gen', gen)
end

local function pass(since, given, again)
  return 'pass', exact(since), exact((given + 2) * length), again
end

local function claim(place)
  if closed then
    return closed, '', '', ''
  elseif place >= called() then
    return 'not_called', '', '', ''
  end
  for given = gen, gen - 1, -1 do
    if redis.call('GETBIT', bitmap(given), exact(place)) == 1 then
      return pass(given * length, given, '1')
    end
  end
  if line.tokens < 1 then
    local wait = math.max(1, (1 - line.tokens) / rate)
    set('denied', (line.denied or 0) + wait)
    return 'wait', exact(math.ceil(wait * 1000000)), '', ''
  end
  set('tokens', line.tokens - 1)
  set('passes', (line.passes or 0) + 1)
  redis.call('SETBIT', bitmap(gen), exact(place), 1)
  return pass(now, gen, '0')
end

if not closed then
  begin()
end
local answers = {}
for i = 18, #ARGV do
  local n = #answers
  answers[n + 1], answers[n + 2], answers[n + 3], answers[n + 4] = claim(tonumber(ARGV[i]))
end
answers[#answers + 1] = exact(line.passes or 0)
save()
return answers

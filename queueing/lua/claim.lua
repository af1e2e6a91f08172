-- ARGV[16]  the place
-- ARGV[17]  how long a generation of passes lasts
-- Answers a pass, or why there is none. Asking again costs nothing: whoever
-- claimed in this generation or the last one is given the same pass.

local place, life = tonumber(ARGV[16]), tonumber(ARGV[17])

local function refuse(why)
  save()
  return { why }
end

refill()
if now < opens then
  return refuse('not_open')
elseif now >= closes then
  return refuse('ended')
elseif paused then
  return refuse('paused')
elseif place >= called() then
  return refuse('not_called')
end

local function bitmap(gen)
  return KEYS[2 + gen % 2]
end

-- A generation that begins takes over the bitmap of the one before the last.
-- Generations never go back, even if the clock does.
local last = line.gen or -2
local gen = math.max(math.floor(now / life), last)
for begun = math.max(last, gen - 2) + 1, gen do
  redis.call('DEL', bitmap(begun))
end
set('gen', gen)

local function pass(since, given, again)
  save()
  return { 'pass', exact(since), exact((given + 2) * life), again }
end

for given = gen, gen - 1, -1 do
  if redis.call('GETBIT', bitmap(given), exact(place)) == 1 then
    return pass(given * life, given, '1')
  end
end

if line.tokens < 1 then
  local wait = math.max(1, (1 - line.tokens) / rate)
  set('denied', (line.denied or 0) + wait)
  save()
  return { 'wait', exact(math.ceil(wait * 1000000)) }
end
set('tokens', line.tokens - 1)
set('passes', (line.passes or 0) + 1)
redis.call('SETBIT', bitmap(gen), exact(place), 1)
return pass(now, gen, '0')

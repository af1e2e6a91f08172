-- ARGV[own]     the length of a generation of passes
-- ARGV[own+1..] turns: a place, or i and an invitation's number
-- Asking again costs nothing: whoever claimed in this generation or the last one
-- is given the same pass.

local length = tonumber(ARGV[own])

refill()
local function claimed(gen) return KEYS[2 + gen % 2] end
local function claimedInvited(gen) return KEYS[4 + gen % 2] end

-- A generation that begins takes over the bitmaps of the one before the last.
-- Generations never go back, even if the clock does.
local gen
local function begin()
  local last = line.gen or -2
  gen = math.max(math.floor(now / length), last)
  for begun = math.max(last, gen - 2) + 1, gen do
    redis.call('DEL', claimed(begun), claimedInvited(begun))
  end
  set('gen', gen)
end

local function pass(since, given, again)
  return 'pass', exact(since), exact((given + 2) * length), again
end

local function claim(turn)
  if closed then
    return closed, '', '', ''
  elseif uncalled(turn) then
    return 'not_called', '', '', ''
  end
  local bitmap, bit = claimed, turn
  if invited(turn) then
    bitmap, bit = claimedInvited, string.sub(turn, 2)
  end
  for given = gen, gen - 1, -1 do
    if redis.call('GETBIT', bitmap(given), bit) == 1 then
      return pass(given * length, given, '1')
    end
  end
  if line.tokens < 1 then
    return later()
  end
  pay()
  redis.call('SETBIT', bitmap(gen), bit, 1)
  return pass(now, gen, '0')
end

if not closed then
  begin()
end
return answer(own + 1, claim)

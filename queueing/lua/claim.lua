-- ARGV[own]     the length of a generation of passes
-- ARGV[own+1..] turns: a place, or i and an invitation's number
-- Asking again costs nothing: whoever claimed in this generation or the last one
-- is given the same pass.

local length = tonumber(ARGV[own])

refill()
local closed = now < opens and 'not_open' or now >= closes and 'ended' or paused and 'paused'

local function claimed(gen) return KEYS[2 + gen % 2] end
local function invited(gen) return KEYS[4 + gen % 2] end

-- A generation that begins takes over the bitmaps of the one before the last.
-- Generations never go back, even if the clock does.
local gen
local function begin()
  local last = line.gen or -2
  gen = math.max(math.floor(now / length), last)
  for begun = math.max(last, gen - 2) + 1, gen do
    redis.call('DEL', claimed(begun), invited(begun))
  end
  set('gen', gen)
end

local function pass(since, given, again)
  return 'pass', exact(since), exact((given + 2) * length), again
end

-- An invitation's turn has come with the opening: it stands before the head.
local function claim(turn)
  local invitation = string.match(turn, '^i(%d+)$')
  local bitmap, bit = claimed, turn
  if invitation then
    bitmap, bit = invited, invitation
  end
  if closed then
    return closed, '', '', ''
  elseif not invitation and tonumber(turn) >= called() then
    return 'not_called', '', '', ''
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

-- What the scripts of a line share. Time is Redis time in microseconds.
--
-- KEYS[1]     the hash of the line, the fields below
-- KEYS[2..3]  bitmaps of claimed places, generations alternate between them
-- KEYS[4..5]  the same of claimed invitations
-- ARGV[1..5]  the sale: doors, opens, closes, rate a second, burst
-- ARGV[6..16] what this edge remembers, or -1 and '': born, seed, entered,
--             drawn, head, passes, edition, paused, rate, burst, message
-- ARGV[17..]  the script's own, and at the end
--             1 if the draw waits for a public value, and that value, or ''

local mixed = table.remove(ARGV)
local mixes = table.remove(ARGV) == '1'
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local doors, opens, closes = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local TEXT = { seed = true, mixed = true, message = true, shown = true }
local FIELDS = {
  'born', 'seed',           -- when the seed was put, and the seed
  'mixed',                  -- the public value of the draw
  'entered', 'drawn',       -- numbers given; how many of them the draw took
  'head', 'moved', 'lead',  -- the head, its last move, its speed in rates
  'waiting', 'denied',      -- callers who found no token: smoothed, and new
  'tokens', 'refilled', 'lost', 'pace', -- the bucket; pace: the rate last used
  'gen', 'passes',          -- generation of passes, passes given
  'edition', 'paused', 'rate', 'burst', 'message', -- the operators' actions
  'turn', 'shown',          -- the picture that is published, and its turn
  'armed', 'offered', 'flow', 'skip', 'skipto', -- of a room, see lua/room.lua
}
local line, changed = {}, {}
for i, value in ipairs(redis.call('HMGET', KEYS[1], unpack(FIELDS))) do
  local field = FIELDS[i]
  line[field] = value and (TEXT[field] and value or tonumber(value)) or nil
end

-- A seed that cannot be read is one that Redis forgot, and so is its time: the
-- edge that remembers them puts them back.
if not line.seed or #line.seed ~= 64 or string.find(line.seed, '%X') then
  line.seed, line.born = nil, nil
end

-- Numbers are written with all their digits: Lua's own conversion rounds
-- microseconds since 1970.
local function exact(n)
  return string.format('%.17g', n)
end

local function set(field, value)
  if line[field] ~= value then
    line[field] = value
    changed[field] = true
  end
end

local function save()
  local changes = {}
  for _, field in ipairs(FIELDS) do
    if changed[field] then
      changes[#changes + 1] = field
      changes[#changes + 1] = TEXT[field] and line[field] or exact(line[field])
    end
  end
  if #changes > 0 then
    redis.call('HSET', KEYS[1], unpack(changes))
  end
end

-- restore puts back what Redis forgot and this edge remembers. Of two seeds
-- the older one holds; of two counts the higher one.
local function restore()
  local born, seed = tonumber(ARGV[6]), ARGV[7]
  local entered, drawn, head = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
  local passes = tonumber(ARGV[11])
  if born > 0 and (not line.born or born < line.born) then
    if line.born or mixed ~= '' then -- a value beside a torn seed is its own
      set('mixed', mixed)
    end
    set('seed', seed)
    set('born', born)
    if drawn >= 0 then
      set('drawn', drawn)
    end
  elseif not line.born then
    set('seed', seed)
    set('born', now)
  end
  if line.born == born and drawn > (line.drawn or -1) then
    set('drawn', drawn)
  end
  if line.born == born and line.mixed == '' then
    set('mixed', mixed)
  end
  -- Other edges may have been given numbers that this one has not heard of,
  -- so the count jumps ahead: a number nobody holds is harmless, one that two
  -- hold is not.
  if entered > (line.entered or 0) then
    set('entered', entered + 16 + math.floor(entered / 64))
  end
  if head > (line.head or 0) then
    set('head', head)
  end
  -- Passes that an older copy has not heard of were paid from the bucket that
  -- it still thinks full. A bucket that is forgotten altogether starts empty.
  if passes > (line.passes or 0) then
    if line.refilled then
      set('tokens', (line.tokens or 0) - (passes - (line.passes or 0)))
    end
    set('passes', passes)
  end
  if tonumber(ARGV[12]) > (line.edition or 0) then
    set('edition', tonumber(ARGV[12]))
    set('paused', tonumber(ARGV[13]))
    set('rate', tonumber(ARGV[14]))
    set('burst', tonumber(ARGV[15]))
    set('message', ARGV[16])
  end
end

line.mixed = line.mixed or ''
restore()
line.entered = line.entered or 0
line.head = line.head or 0

-- The draw: the first script at or after the opening fixes how many take part.
-- Without its public value there is no order yet, so for all that follows the
-- sale has not opened.
if now >= opens and not line.drawn then
  set('drawn', line.entered)
end
if mixes and line.mixed == '' then
  opens = closes
end

local paused = line.paused == 1
local outranked = (line.rate or 0) > 0 -- an operator's rate outranks the file's
local rate = outranked and line.rate or tonumber(ARGV[4])
local burst = outranked and line.burst or tonumber(ARGV[5])

-- expire lets a key be looked at for 30 days after the line has ended.
local function expire(key)
  local forget = math.floor(closes / 1000) + 2592000000
  if forget * 1000 > now then
    redis.call('PEXPIREAT', key, exact(forget))
  end
end

-- called is the number of places that were called.
local function called()
  return math.min(math.floor(line.head), line.entered)
end

-- refill pays the bucket for the time since the last refill, at the rate that
-- held meanwhile. A clock that stepped back pays nothing and moves the mark; a
-- bucket without a mark is new, or was forgotten, and starts empty.
local function refill()
  if now < opens then
    return
  end
  local elapsed = math.max(0, now - (line.refilled or now)) / 1000000
  local full = (line.tokens or 0) + (line.pace or rate) * elapsed
  local tokens = math.min(full, burst)
  set('tokens', tokens)
  set('lost', (line.lost or 0) + full - tokens)
  set('refilled', now)
  set('pace', rate)
end

local room -- what lua/room.lua adds to tick.lua; a sale has none

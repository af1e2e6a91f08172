-- What the scripts of a line share. Time is Redis time in microseconds.
--
-- KEYS[1]     the hash of the line, the fields below
-- KEYS[2..3]  bitmaps of claimed places, generations alternate between them
-- KEYS[4..5]  the same of claimed invitations
-- ARGV[1..6]  the sale: doors, opens, closes, rate a second, burst, 1 if the draw
--             waits for a public value
-- ARGV[7..21] what this edge remembers, see REMEMBERED; -1, 0 or '': nothing
-- ARGV[own..] the script's own

local own = 22
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local doors, opens, closes = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local mixes = ARGV[6] == '1'

local TEXT = { seed = true, mixed = true, message = true, shown = true }
local REMEMBERED = {
  'born', 'seed', 'drawn', 'drawnat', 'mixed', 'mixedat', 'entered', 'behind', 'head', 'passes',
  'edition', 'paused', 'rate', 'burst', 'message',
}
local FLAG = { paused = true, armed = true }
local LEAST = { born = 1, drawn = -1, tokens = -2^53 } -- of the others 0
local BROKEN = { -- what need not be whole
  head = true, lead = true, waiting = true, denied = true, tokens = true, lost = true, pace = true,
  rate = true, burst = true, offered = true, flow = true, skip = true,
}
local PAUSE = 300000 -- microseconds after a loss in which no number is given
local MANY = 1000    -- of what is long, as much as goes with one tick

-- sound is what a field holds, if it can be that: else it is damaged, which is as
-- if it were forgotten.
local function sound(field, value)
  if TEXT[field] then
    return value
  end
  local n = tonumber(value)
  if n and n >= (LEAST[field] or 0) and n < 2^53 and (BROKEN[field] or n % 1 == 0) and (not FLAG[field] or n <= 1) then
    return n
  end
end

local line, changed, edge, torn, FIELDS = {}, {}, {}, {}, {}

-- read reads fields of the line; save writes those that have changed.
local function read(fields)
  for i, value in ipairs(redis.call('HMGET', KEYS[1], unpack(fields))) do
    local field = fields[i]
    FIELDS[#FIELDS + 1] = field
    if value then
      line[field] = sound(field, value)
      torn[field] = line[field] == nil
    end
  end
end
read({
  'born', 'seed',           -- when the seed was put, and the seed
  'entered', 'resumes',     -- numbers given; when they are given again after a loss
  'behind',                 -- numbers given behind the draw; final once it is held
  'drawn', 'drawnat',       -- how many of them the draw took, and when; -1: none yet
  'mixed', 'mixedat',       -- the public value of the draw, and when it was given
  'head', 'moved', 'lead',  -- the head, its last move, its speed in rates
  'began',                  -- when it was first free to move
  'waiting', 'denied',      -- callers who found no token: smoothed, and new
  'tokens', 'refilled', 'lost', 'pace', -- the bucket; pace: the rate last used
  'gen', 'passes',          -- generation of passes, passes given
  'edition', 'paused', 'rate', 'burst', 'message', -- the operators' actions
  'proofs',                 -- generation of proofs that were used, see lua/proofs.lua
  'turn', 'shown',          -- the picture that is published, and its turn
})
for i, field in ipairs(REMEMBERED) do
  local value = ARGV[6 + i]
  edge[field] = TEXT[field] and value or tonumber(value)
end

-- A seed that cannot be read is one that Redis forgot, and so is its time: the
-- edge that remembers them puts them back.
if not line.seed or #line.seed ~= 64 or string.find(line.seed, '%X') then
  line.seed, line.born = nil, nil
end
if torn.paused or torn.rate or torn.burst then -- so it is with an edition
  line.edition = nil
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

-- beyond is a count that jumps ahead of what others may have been given.
local function beyond(count)
  return count + 16 + math.floor(count / 64)
end

-- restore puts back what Redis forgot and this edge remembers. Of two seeds, of
-- two draws and of two public values the older one holds, of two counts the
-- higher one.
local function restore()
  if edge.born > 0 and (not line.born or edge.born < line.born) then
    if line.born then -- another line's; beside a torn seed they are its own
      set('drawn', -1)
      set('mixed', '')
    end
    set('seed', edge.seed)
    set('born', edge.born)
  elseif not line.born then
    set('seed', edge.seed)
    set('born', now)
  end
  if line.born == edge.born and edge.drawn >= 0 and (line.drawn < 0 or edge.drawnat < line.drawnat) then
    set('drawn', edge.drawn)
    set('drawnat', edge.drawnat)
    set('behind', edge.behind)
  elseif line.drawn >= 0 and edge.drawnat == line.drawnat and edge.behind > line.behind then
    set('behind', edge.behind)
  end
  if line.born == edge.born and edge.mixed ~= '' and (line.mixed == '' or edge.mixedat < line.mixedat) then
    set('mixed', edge.mixed)
    set('mixedat', edge.mixedat)
  end
  -- Other edges may have been given numbers that this one has not heard of: for a
  -- while none is given, so that they can say so, and for those who cannot the
  -- count jumps ahead. A number nobody holds is harmless, one that two hold is not.
  if edge.entered > line.entered then
    set('entered', beyond(edge.entered))
    set('resumes', now + PAUSE)
  end
  if line.drawn < 0 and edge.behind > line.behind then
    set('behind', beyond(edge.behind))
    set('resumes', now + PAUSE)
  end
  if edge.head > line.head then
    set('head', edge.head)
  end
  -- Passes that an older copy has not heard of were paid from the bucket that
  -- it still thinks full. A bucket that is forgotten altogether starts empty.
  if edge.passes > line.passes then
    if line.refilled and not torn.passes then
      set('tokens', (line.tokens or 0) - (edge.passes - line.passes))
    end
    set('passes', edge.passes)
  end
  if edge.edition > (line.edition or 0) then
    for _, field in ipairs({ 'edition', 'paused', 'rate', 'burst', 'message' }) do
      set(field, edge[field])
    end
  end
end

line.drawn, line.drawnat = line.drawn or -1, line.drawnat or 0
line.mixed, line.mixedat = line.mixed or '', line.mixedat or 0
line.entered, line.behind = line.entered or 0, line.behind or 0
line.head, line.passes = line.head or 0, line.passes or 0
local had = { born = line.born, entered = line.entered, passes = line.passes } -- as Redis has it
restore()

-- The draw: the first script at or after the opening fixes how many take part.
-- The numbers that follow theirs are those of who stands behind it: of these the
-- j-th has number drawn + j from now on, and who enters later comes after them all.
-- Without its public value there is no order yet, so for all that follows the
-- sale has not opened.
if now >= opens and line.drawn < 0 then
  set('drawn', line.entered)
  set('drawnat', now)
end
if line.drawn >= 0 then
  set('entered', math.max(line.entered, line.drawn + line.behind))
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

-- resuming is for how long no number is given; 0: they are.
local function resuming()
  local wait = (line.resumes or 0) - now
  return wait > 0 and wait <= PAUSE and wait or 0 -- the clock may have been put back
end

-- hold is the answer to who wants a number while none is given, if that is so.
local function hold()
  if resuming() > 0 then
    save()
    return { 'hold', exact(resuming()) }
  end
end

-- called is the number of places that were called.
local function called()
  return math.min(math.floor(line.head), line.entered)
end

-- closed is why there are no passes, if there are none.
local closed = now < opens and 'not_open' or now >= closes and 'ended' or paused and 'paused'

-- uncalled reports whether a turn has not come: a place. That of an invitation, i and
-- its number, has come with the opening: it stands before the head.
local function invited(turn) return string.sub(turn, 1, 1) == 'i' end
local function uncalled(turn) return not invited(turn) and tonumber(turn) >= called() end

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

-- pay takes a token for a pass.
local function pay()
  set('tokens', line.tokens - 1)
  set('passes', line.passes + 1)
end

-- later is the answer to a claim that finds no token: when to ask again. Who is
-- told so counts among those who wait, see lua/tick.lua.
local function later()
  local wait = math.max(1, (1 - math.min(line.tokens, 1)) / rate)
  set('denied', (line.denied or 0) + wait)
  return 'wait', exact(math.ceil(wait * 1000000)), '', ''
end

-- cut takes instants of a sorted set back that a clock put too far into the future.
local function cut(key, last)
  local beyond = redis.call('ZRANGEBYSCORE', key, exact(last + 1000000), '+inf', 'LIMIT', 0, MANY)
  for _, name in ipairs(beyond) do
    redis.call('ZADD', key, exact(last), name)
  end
  return #beyond
end

-- tell adds to an answer what the edge is to remember.
local function tell(answer)
  for _, value in ipairs({
    exact(line.born), line.seed, exact(line.drawn), exact(line.drawnat), line.mixed, exact(line.mixedat),
    exact(line.entered), exact(line.behind), exact(called()), exact(line.passes),
  }) do
    answer[#answer + 1] = value
  end
  return answer
end

-- answer makes the claims from the i-th argument on: four fields for each, a pass
-- or why there is none.
local function answer(i, claim)
  local answers = {}
  for at = i, #ARGV do
    local n = #answers
    answers[n + 1], answers[n + 2], answers[n + 3], answers[n + 4] = claim(ARGV[at])
  end
  save()
  return tell(answers)
end

-- hooks are what others add to lua/tick.lua: lua/room.lua and lua/units.lua a bound on
-- passes, lua/proofs.lua what is to be forgotten. A sale has no bound else.
local function none() end
local hooks = {
  forget = none, begin = none, settle = none, show = none, news = none,
  seats = function() return math.huge end,
  reach = function(reach) return reach end,
}

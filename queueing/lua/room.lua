-- What the scripts of a room share, after lua/line.lua. Its draw took nobody:
-- a number is a place. While the room is not armed everyone was called, head =
-- entered. A seat, and what else is kept of a pass, is named by its ticket's ID.
--
-- KEYS[2]   the seats: who is inside, by the instant at which the seat is free; kept
--           only where there is a bound
-- KEYS[3]   who was released, by the instant until which no pass of theirs can live
-- KEYS[4]   the tickets of those who waited and claimed, by the end of their pass
-- ARGV[own]   how many may be inside, 0: no bound
-- ARGV[own+1] a pass's life

local most, life = tonumber(ARGV[own]), tonumber(ARGV[own + 1])
own = own + 2

local GRACE = 5000000   -- microseconds for which a seat outlives its pass
local UNSEEN = 60000000 -- microseconds for which a pass that was not shown has a seat
local FADE = 5          -- seconds after which one called who did not come is no more expected
local MEASURE = 30      -- seconds over which the head's speed is measured

read({
  'armed',           -- 1 while who arrives stands in line
  'offered', 'flow', -- called of late, not come yet; the head's measured speed
  'skip', 'skipto',  -- a gap in the numbers, where nobody stands
  'left',            -- the last instant of KEYS[3]
})

closes = now + 1 -- a room never closes; its keys are kept for 30 days after the last tick

local active = 0
if most > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', exact(now))
  active = redis.call('ZCARD', KEYS[2])
end

-- A count that Redis forgot has jumped ahead (see restore): between what this
-- edge remembers and the new count stands nobody, so the head will skip it. Beyond
-- a gap that is still ahead stands nobody either, if no number was given since.
if changed.entered then
  if line.head >= (line.skipto or 0) or had.entered == line.skipto then
    set('skip', edge.entered)
  end
  set('skipto', line.entered)
end

local armed = line.armed == 1 or called() < line.entered

local function free()
  return most > 0 and most - active or math.huge
end

-- expected is how many called shoppers are about to claim: those called of late,
-- at least those who were told to come back.
local function expected()
  return math.max(line.offered or 0, line.waiting or 0)
end

-- sit takes a seat, or keeps it until later.
local function sit(id, free)
  if most > 0 then
    active = active + redis.call('ZADD', KEYS[2], 'GT', exact(free), id)
  end
end

-- reserve takes a seat for a pass that is given. It lasts once the pass is shown:
-- one that was lost on its way, or given to somebody who keeps no cookies, is soon
-- free again.
local function reserve(id)
  sit(id, now + math.min(UNSEEN, life))
end

-- admit pays for a pass and gives its end.
local function admit(id)
  pay()
  reserve(id)
  return now + life
end

local function left(id)
  local known = redis.call('ZSCORE', KEYS[3], id)
  return known and tonumber(known) > now
end

-- leave frees a seat. Passes of that ticket are worth nothing from now on, also
-- one that is being renewed meanwhile. Edges are told in the order of instants,
-- so each has one of its own.
local function leave(id)
  if left(id) then
    return
  end
  set('left', math.max(now + life + GRACE, (line.left or 0) + 1))
  redis.call('ZADD', KEYS[3], exact(line.left), id)
  active = active - redis.call('ZREM', KEYS[2], id)
end

-- renew keeps the seat of a pass that was shown, or takes it again.
local function renew(id, expires)
  if expires > now and not left(id) then
    expires = math.min(expires, now + life)
    sit(id, expires + GRACE)
    redis.call('ZADD', KEYS[4], 'XX', 'GT', exact(expires), id)
  end
end

local before, span -- places called before this tick, seconds since the last one

-- begin takes in what the edge tells of passes, see lua/tick.lua.
function hooks.begin()
  before, span = called(), math.max(0, now - (line.moved or now)) / 1000000
  local offered = (line.offered or 0) * math.exp(-span / FADE)
  set('offered', offered < 0.01 and 0 or offered) -- an idle room has nothing to write
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', exact(now))
  redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', exact(now))
  if math.floor(now / 1000000) ~= math.floor((line.moved or 0) / 1000000) then -- once a second
    cut(KEYS[2], now + life + GRACE)
    cut(KEYS[4], now + life)
    if cut(KEYS[3], now + life + GRACE) > 0 then
      set('left', now + life + GRACE)
    end
  end
  local leaving = tonumber(ARGV[own + 7])
  for i = own + 8, own + 7 + leaving do
    leave(ARGV[i])
  end
  for i = own + 8 + leaving, #ARGV, 2 do
    if most > 0 then
      renew(ARGV[i], tonumber(ARGV[i + 1]))
    end
  end
end

-- seats is how many more may be called: whole ones, those expected rounded.
function hooks.seats()
  return math.max(0, math.floor(free() - expected() + 0.5))
end

-- reach bounds how far the head may go. What the bucket holds beyond those who
-- are expected is for the next in line at once.
function hooks.reach(reach)
  reach = math.max(reach, line.head + line.tokens - expected())
  return math.min(reach, line.head + hooks.seats(), line.entered)
end

-- settle counts whom the head has called, and disarms the room once nobody is
-- left to be called and those who were can all be served beside a newcomer.
function hooks.settle()
  local step = called() - before
  set('offered', line.offered + step)
  if line.skipto and line.head >= (line.skip or 0) and line.head < line.skipto then
    set('head', line.skipto)
  end
  if not armed then
    return
  end
  if span > 0 then
    local flow = line.flow or rate
    flow = flow + (step / span - flow) * (1 - math.exp(-span / MEASURE))
    set('flow', math.max(flow, rate / 1000)) -- waits are divided by it
  end
  -- Half a bucket, or the next few who arrive would arm the room again at once.
  -- Of it one token stays for the newcomer, the rest is for those expected; a
  -- bucket of one has no rest, so there it is enough that likely nobody comes.
  if called() >= line.entered and not paused
    and line.tokens >= math.max(1, burst / 2)
    and expected() <= math.max(0.5, line.tokens - 1)
    and hooks.seats() >= 1 then
    armed = false
    set('armed', 0)
    set('lead', 1)
    set('head', line.entered)
  end
end

function hooks.show(picture)
  picture[#picture + 1] = armed and '1' or '0'
  picture[#picture + 1] = exact(active)
  picture[#picture + 1] = exact(line.flow or rate)
end

-- news tells the edge who has left since it last heard, each with the instant
-- until which that counts.
function hooks.news(answer)
  local heard = tonumber(ARGV[own + 6])
  if heard > (line.left or 0) then
    heard = 0 -- of what Redis forgot, or of another clock
  end
  local gone = redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. exact(heard), '+inf', 'WITHSCORES', 'LIMIT', 0, MANY)
  answer[#answer + 1] = exact(tonumber(gone[#gone]) or heard)
  answer[#answer + 1] = #gone == 2 * MANY and '1' or '0'
  for i = 1, #gone, 2 do
    answer[#answer + 1] = gone[i]
    answer[#answer + 1] = exact(tonumber(gone[i + 1]))
  end
end

-- What the scripts of a room share, after lua/line.lua. Its draw took nobody:
-- a number is a place. While the room is not armed everyone was called, head =
-- entered.
--
-- KEYS[2]   the seats: places inside, by the instant at which they are free; kept
--           only where there is a bound
-- KEYS[3]   places that left of late, so that a late renewal does not seat them
-- ARGV[21]  how many may be inside, 0: no bound
-- ARGV[22]  a pass's life

local most, life = tonumber(ARGV[own]), tonumber(ARGV[own + 1])
own = own + 2

local GRACE = 5000000   -- microseconds for which a seat outlives its pass
local LEFT = 60000000   -- microseconds for which those who left are known
local FADE = 5          -- seconds after which one called who did not come is no more expected
local MEASURE = 30      -- seconds over which the head's speed is measured

closes = now + 1 -- a room never closes; its keys are kept for 30 days after the last tick

local active = 0
if most > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', exact(now))
  active = redis.call('ZCARD', KEYS[2])
end

-- A count that Redis forgot has jumped ahead (see restore): between what this
-- edge remembers and the new count stands nobody, so the head will skip it.
if changed.entered then
  if line.head >= (line.skipto or 0) then
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
local function sit(place, expires)
  if most > 0 then
    active = active + redis.call('ZADD', KEYS[2], 'GT', exact(expires + GRACE), exact(place))
  end
end

-- admit pays for a pass and gives its end.
local function admit(place)
  pay()
  if most > 0 then
    redis.call('ZREM', KEYS[3], exact(place))
    sit(place, now + life)
  end
  return now + life
end

room = {}
local before, span -- places called before this tick, seconds since the last one

-- begin seats those whose passes were renewed.
function room.begin()
  before, span = called(), math.max(0, now - (line.moved or now)) / 1000000
  local offered = (line.offered or 0) * math.exp(-span / FADE)
  set('offered', offered < 0.01 and 0 or offered) -- an idle room has nothing to write
  if most > 0 then
    redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', exact(now))
  end
  for i = own + 4, #ARGV, 2 do
    local place, expires = ARGV[i], tonumber(ARGV[i + 1])
    if expires > now and not redis.call('ZSCORE', KEYS[3], place) then
      sit(tonumber(place), expires)
    end
  end
end

-- seats is how many more may be called: whole ones, those expected rounded.
function room.seats()
  return math.max(0, math.floor(free() - expected() + 0.5))
end

-- reach bounds how far the head may go. What the bucket holds beyond those who
-- are expected is for the next in line at once.
function room.reach(reach)
  reach = math.max(reach, line.head + line.tokens - expected())
  return math.min(reach, line.head + room.seats(), line.entered)
end

-- settle counts whom the head has called, and disarms the room once nobody is
-- left to be called and those who were can all be served beside a newcomer.
function room.settle()
  local step = called() - before
  set('offered', line.offered + step)
  if line.skipto and line.head >= line.skip and line.head < line.skipto then
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
    and room.seats() >= 1 then
    armed = false
    set('armed', 0)
    set('lead', 1)
    set('head', line.entered)
  end
end

function room.show(picture)
  picture[#picture + 1] = armed and '1' or '0'
  picture[#picture + 1] = exact(active)
  picture[#picture + 1] = exact(line.flow or rate)
end

-- ARGV[16]  1 to let the head move, 0 to hold it
-- Answers the picture of the line.

local PATIENCE = 3     -- seconds' worth of waiting callers at which the head stops
local LEAD = 19        -- the most the head may run ahead of the rate, in rates
local GAIN, DECAY = 1, 0.2
local STEP = 2         -- seconds of movement one tick may make up for
local KEEP = 2592000000 -- milliseconds for which an ended line can be looked at

-- advance moves the head so that every token finds a taker and few callers
-- find no token.
--
-- The head moves at rate × (1 + boost − crowding). Crowding is the number of
-- callers who were told to come back, in units of PATIENCE seconds of the
-- rate: at 1 + boost of them the head stands. Boost makes up for people who
-- never come: it grows while tokens run over with people left to call, and
-- shrinks while callers wait. The bucket alone bounds the passes; if the head
-- is wrong, somebody waits a little or a token is lost, nothing more.
local function advance(calling)
  local dt = (now - (line.moved or now)) / 1000000
  set('moved', now)
  if dt <= 0 then
    return
  end
  -- A denied caller adds the seconds after which they ask again, so one who
  -- waits adds one second each second, whatever the distance.
  local smoothing = 1 - math.exp(-dt / math.max(1, 1 / rate))
  local waiting = (line.waiting or 0)
  waiting = waiting + ((line.denied or 0) / dt - waiting) * smoothing
  local idle = math.min(1, (line.lost or 0) / (rate * dt))
  set('waiting', waiting)
  set('denied', 0)
  set('lost', 0)
  if not calling then
    return
  end
  local step = math.min(dt, STEP)
  local crowding = waiting / (rate * PATIENCE)
  local boost = line.boost or 0
  if called() < line.entered then
    boost = boost + GAIN * idle * step
  end
  boost = boost - DECAY * math.min(1, crowding) * boost * step
  boost = math.min(math.max(boost, 0), LEAD)
  set('boost', boost)
  -- With nobody left to call, the head may run ahead of the entries by the
  -- tokens in the bucket: that many newcomers are called as they enter.
  local reach = line.head + rate * math.max(0, 1 + boost - crowding) * step
  set('head', math.max(called(), math.min(reach, line.entered + line.tokens)))
end

refill()
advance(ARGV[16] == '1' and now >= opens and now < closes and not paused)
save()
for _, key in ipairs(KEYS) do
  redis.call('PEXPIREAT', key, exact(math.floor(closes / 1000) + KEEP))
end
return {
  exact(now), exact(line.born), line.seed, exact(line.entered), exact(line.drawn or -1), exact(called()),
  exact(line.passes or 0), exact(rate), exact(line.boost or 0), exact(line.waiting or 0),
  exact(line.edition or 0), exact(line.paused or 0), exact(line.rate or 0), exact(line.burst or 0), line.message or '',
}

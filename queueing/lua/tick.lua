-- ARGV[own]         1 to let the head move, 0 to hold it
-- ARGV[own+1..own+3] what the edge would publish beside it: units left, units
--                   held, their state
-- ARGV[own+4]       of a room: how far the edge has heard of those who have left
-- ARGV[own+5..]     how many were released, their IDs; IDs of passes that were
--                   shown, each with its end
-- Answers the picture of the line, the one that is published, and of a room who has
-- left: how far that goes, 1 if there are more, IDs, each with an instant.

local MISS = 0.01       -- the share of tokens that may find nobody
local BRAKE = 5        -- units of waiting callers beyond the aim at which the head stands
local LEAD = 20        -- the highest speed of the head, in rates
local LEARN, FORGET = 0.02, 0.05 -- how fast the lead follows those who wait, each second
local HASTE = 1.5      -- and how fast the tokens that ran over
local STEP = 2         -- seconds of movement that one tick may make up for
local TURN = 250000    -- microseconds for which a published picture stays

-- advance moves the head so that tokens find takers and few people wait after
-- being called.
--
-- The head moves at lead × rate. The lead makes up for people who do not come:
-- it grows while tokens run over with people left to call. It is steered by
-- how many callers were told to come back, in units of what the rate serves
-- between two of their calls. Some should always be there, because calls do
-- not come evenly: a bucket of b tokens runs over with a chance of about
-- (rate / calls)^b, which is MISS when MISS^(-1/b) - 1 units wait. A token that
-- ran over had no taker, whoever claims to wait, so then the head moves all the
-- same. Only the bucket bounds the passes: if the head is wrong, somebody waits a
-- little or a token is lost, nothing more.
local function advance(calling)
  local dt = (now - (line.moved or now)) / 1000000
  set('moved', now)
  if dt <= 0 then
    return
  end
  -- Who is denied adds the seconds after which they call again, so one caller
  -- who waits adds one second each second, whatever that distance is.
  local unit = math.max(1, 1 / rate)
  local waiting = line.waiting or 0
  waiting = waiting + ((line.denied or 0) / dt - waiting) * (1 - math.exp(-dt / unit))
  local idle = math.min(1, (line.lost or 0) / (rate * dt))
  set('waiting', waiting)
  set('denied', 0)
  set('lost', 0)
  if not calling then
    return
  end
  local step = math.min(dt, STEP)
  -- At least half a unit, for if nobody waited nothing could be learned; at most
  -- five, which is how long a small bucket may let people wait after their call.
  local aim = math.min(math.max(MISS ^ (-1 / burst) - 1, 0.5), 5)
  local short = math.max(-BRAKE, aim - waiting / (rate * unit))

  local lead = line.lead or 1
  if room.seats() < rate * lead * step then
    idle, short = 0, 0 -- tokens are lost for want of seats, not of people
  end
  -- The lead rises in haste while tokens run over, so that an opening loses few
  -- of them. By then more are called than will be waited for, so it falls faster
  -- with too many who wait than it rises with too few.
  local grow = (short < 0 and FORGET or LEARN) * short / unit + HASTE * idle
  if called() < line.entered or grow < 0 then
    lead = math.min(math.max(lead * (1 + grow * step), 1), LEAD)
    set('lead', lead)
  end
  -- With nobody left to call, the head may run ahead of the entries by the
  -- tokens in the bucket: that many newcomers are called as they enter.
  local reach = room.reach(line.head + rate * lead * math.max(idle, 1 + short / BRAKE) * step)
  set('head', math.max(called(), math.min(reach, line.entered + line.tokens)))
end

refill()
room.begin()
advance(ARGV[own] == '1' and now >= opens and now < closes and not paused)
room.settle()

local picture = tell({
  exact(now), exact(rate), exact(line.lead or 1), exact(line.waiting or 0),
  exact(line.edition or 0), exact(line.paused or 0), exact(line.rate or 0), exact(line.burst or 0), line.message or '',
  ARGV[own + 1], ARGV[own + 2], ARGV[own + 3],
})
room.show(picture)

-- The first tick of a turn makes the picture that all edges publish in it, so
-- that everybody reads the same whichever edge is asked. Turns begin at whole
-- seconds, as openings do.
local turn = math.floor(now / TURN)
if turn ~= line.turn or not line.shown then
  set('turn', turn)
  set('shown', cjson.encode(picture))
end
save()

for _, key in ipairs(KEYS) do
  expire(key)
end
picture[#picture + 1] = line.shown
room.news(picture)
return picture

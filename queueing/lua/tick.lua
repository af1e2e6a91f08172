-- ARGV[own]         1 to let the head move, 0 to hold it
-- ARGV[own+1..own+4] what the edge would publish beside it: units left, units
--                   held, their state, what that means for who waits
-- ARGV[own+5]       when it looked, 0: it cannot tell
-- ARGV[own+6..]     of a sale that matches passes to units: passes that the edge knew
--                   to be spent before it looked at the gate; turns whose are now, each with
--                   when the pass was admitted
-- ARGV[own+6]       of a room: how far the edge has heard of those who have left
-- ARGV[own+7..]     how many were released, their IDs; IDs of passes that were
--                   shown, each with its end
-- Answers the picture of the line, the one that is published, and of a room who has
-- left: how far that goes, 1 if there are more, IDs, each with an instant.

read({ 'sight' }) -- when the stock that is published was looked at

local MISS = 0.01       -- the share of tokens that may find nobody
local BRAKE = 5        -- units of waiting callers beyond the aim at which the head stands
local LEAD = 20        -- the highest speed of the head, in rates
local LEARN, FORGET = 0.02, 0.05 -- how fast the lead follows those who wait, each second
local HASTE = 1.5      -- and how fast the tokens that ran over
local STEP = 2         -- seconds of movement that one tick may make up for
local PRIOR = 5 / 3    -- the lead of a draw before anything is learned: two in five do not come
local DOUBT = 0.3      -- what a token that ran over tells while not everybody has looked
-- As static/web/script/polls.js has them, in seconds:
local AGE = 1.2        -- until the first page can know of the draw
local SOON = 2         -- between two looks of a page that is next
local TURN = 250000    -- microseconds for which a published picture stays

-- spread is the seconds over which the pages take their first look at a draw, as
-- static/web/script/polls.js has it: for one that is known at the opening one for
-- each 100,000, 1 to 8; for one that is known later, because the sale was paused
-- or for want of a public value, one for each 20,000, 5 to 60.
local function spread()
  if line.began < opens + AGE * 1000000 then
    return math.min(math.max(line.drawn / 100000, 1), 8)
  end
  return math.min(math.max(line.drawn / 20000, 5), 60)
end

-- looking reports whether pages still take their first look at the draw.
local function looking()
  if line.drawn <= 0 or now < opens then
    return false
  end
  return not line.began or now >= line.began and now < line.began + (AGE + spread() + SOON) * 1000000
end

-- opening is the first seconds of a drawn line: for how many seconds' worth of the
-- head's speed the head is to stand at, 0 once it moves on, and how far a token that
-- ran over is to be trusted, 0 to 1.
--
-- Nobody knows the draw before AGE has passed, and then people learn their places
-- evenly over the spread. Of those who are called, in each second of it one in
-- spread finds out. So that they come at lead × rate, all who are to come meanwhile
-- are called at once, lead × rate × spread, and a second's more, for tokens are lost
-- until the first ones come. From then on the head moves at that speed: who has looked
-- before looks again within SOON, on average as late as the first looks were.
--
-- A million at 2000/s: 30,000 are called at once. If two in five of them are away, 2250
-- find out each second. Counting tokens that nobody could take as people who stay away would call
-- 90,000 in five seconds.
local function opening()
  -- It may also have been forgotten, or be older than this script: then a head that
  -- has moved tells that it began with the draw.
  if not line.began then
    set('began', line.head > 0 and math.max(line.drawnat, line.mixedat) or now)
  end
  local since, over = (now - line.began) / 1000000, spread()
  if since < 0 then -- the clock stepped back
    return 0, 1
  end
  local wave = since < over and over + 1 or 0
  if since < AGE + SOON then
    return wave, 0
  end
  return wave, since < AGE + over + SOON and DOUBT or 1
end

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

  local drawn = line.drawn > 0
  local lead = line.lead or (drawn and PRIOR or 1)
  local wave, trust = 0, 1
  if drawn then
    wave, trust = opening()
  end
  if trust < 1 then -- that few wait is no sign either; that many do is one
    idle, short = idle * trust, math.min(short, 0)
  end
  if hooks.seats() < rate * lead * step then
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
  local ahead = rate * lead * wave
  if wave == 0 then
    ahead = line.head + rate * lead * math.max(idle, 1 + short / BRAKE) * step
  end
  local reach = hooks.reach(ahead)
  set('head', math.max(called(), math.min(reach, line.entered + line.tokens)))
end

refill()
hooks.forget()
hooks.begin(looking())
advance(ARGV[own] == '1' and now >= opens and now < closes and not paused)
hooks.settle()

local picture = {
  exact(now), exact(rate), exact(line.lead or 1), exact(line.waiting or 0),
  exact(line.edition or 0), exact(line.paused or 0), exact(line.rate or 0), exact(line.burst or 0), line.message or '',
  ARGV[own + 1], ARGV[own + 2], ARGV[own + 3], ARGV[own + 4],
}
local said = #picture -- where the last of these is
tell(picture)
hooks.show(picture)

-- The first tick of a turn makes the picture that all edges publish in it, so
-- that everybody reads the same whichever edge is asked. Turns begin at whole
-- seconds, as openings do. A picture of other fields is of another build, or of a
-- file that has changed since: it is not read.
local turn = math.floor(now / TURN) * 100 + #picture
if turn ~= line.turn or not line.shown then
  -- Who has just started has nothing to say to those who wait, and who looked at the
  -- stock before it was looked at last knows less of it: what was said stays.
  local looked = tonumber(ARGV[own + 5])
  looked = looked > 0 and math.min(looked, now) or now
  local past = looked < (line.sight or 0) and line.sight <= now
  local last = line.shown and (past or picture[said] == '') and cjson.decode(line.shown) or {}
  local shown = { unpack(picture) }
  if #last == #shown then
    for i = past and said - 3 or said, said do
      shown[i] = last[i]
    end
  end
  if not past then
    set('sight', looked)
  end
  set('turn', turn)
  set('shown', cjson.encode(shown))
end
save()

for _, key in ipairs(KEYS) do
  expire(key)
end
picture[#picture + 1] = line.shown
hooks.news(picture)
return picture

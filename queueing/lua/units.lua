-- What the scripts of a sale share that lets in no more people than there are units,
-- after lua/line.lua. A pass is unused until it is spent on what the gate gave for
-- it, or has ended. Passes that are unused are never more than the units left.
--
-- An edge that has looked at the gate tells how many units it saw there, and how many
-- passes it knew to be spent before it looked: the units of those were gone by then.
-- Of what was spent since, some units may have been gone, too, and some not. So all
-- of it is taken off, which is right however old the look is, whichever edge took it.
--
-- KEYS[8]            the passes, named by their turns, by when they end
-- ARGV[own]          a pass's life
-- ARGV[own+1..own+2] what this edge remembers: how many were spent, and at most how
--                    many are unused

local life = tonumber(ARGV[own])
edge.spent, edge.unused = tonumber(ARGV[own + 1]), tonumber(ARGV[own + 2])
own = own + 3

local GRACE = 5000000 -- microseconds after the end for which a buy may still be under way
local FADE = 5        -- seconds after which one called who did not come is no more expected

read({
  'spent',           -- passes
  'units', 'known',  -- left, as an edge saw last; passes it knew to be spent before
  'astray', 'found', -- passes that Redis forgot, at most; when they have all ended
  'offered',         -- called of late, not come yet
})

line.offered = line.offered or 0
if torn.spent then -- and so nobody knows what was spent since
  set('units', 0)
end
set('spent', math.max(line.spent or 0, edge.spent))

-- straying is how many passes may be unused of which Redis knows nothing.
local function straying()
  local left = (line.found or 0) - now
  return left > 0 and left <= life + GRACE and (line.astray or 0) or 0
end

-- What one edge remembers, another may know more of: so no pass is given before all
-- could say so, as no number is.
if edge.born > 0 and (not had.born or line.passes > had.passes) then
  set('resumes', now + PAUSE)
end
if line.passes > had.passes then
  set('astray', straying() + math.min(line.passes - had.passes, edge.unused))
  set('found', now + life + GRACE)
end

-- live begins the instants at which unused passes end.
local live = '(' .. exact(now - GRACE)
local unused = redis.call('ZCOUNT', KEYS[8], live, '+inf') + straying()

local function free()
  if resuming() > 0 then
    return 0
  end
  return (line.units or 0) - unused - math.max(0, line.spent - (line.known or 0))
end

-- ends is when the last pass of a turn ends, 0 if it is not known any more.
local function ends(turn)
  return tonumber(redis.call('ZSCORE', KEYS[8], turn) or 0)
end

-- admit takes a pass for a turn. In its grace the one before is still counted.
local function admit(turn)
  pay()
  if ends(turn) <= now - GRACE then
    unused = unused + 1
  end
  redis.call('ZADD', KEYS[8], exact(now + life), turn)
  set('offered', math.max(0, line.offered - (line.lead or 1)))
end

-- spend notes that the gate gave units for a turn's pass, however often it is told:
-- for the one that was admitted in a millisecond, or one before.
local function spend(turn, admitted)
  local last = ends(turn)
  if last > now - GRACE and last - life < (admitted + 1) * 1000 then
    redis.call('ZADD', KEYS[8], exact(now - GRACE), turn)
    set('spent', line.spent + 1)
    unused = unused - 1
  end
end

-- expected is how many of those who were called are about to claim.
local function expected()
  return math.max(line.offered / (line.lead or 1), line.waiting or 0)
end

local before = called()

-- begin takes in what the edge tells of units and passes, see lua/tick.lua. While the
-- pages still take their first look at the draw, nobody is late.
function hooks.begin(looking)
  local span = math.max(0, now - (line.moved or now)) / 1000000
  local offered = looking and line.offered or line.offered * math.exp(-span / FADE)
  set('offered', offered < 0.01 and 0 or offered)
  redis.call('ZREMRANGEBYSCORE', KEYS[8], '-inf', exact(now - GRACE - life))
  cut(KEYS[8], now + life)
  for i = own + 7, #ARGV, 2 do
    spend(ARGV[i], tonumber(ARGV[i + 1]))
  end
  set('units', ARGV[own] == '1' and tonumber(ARGV[own + 1]) or 0)
  set('known', tonumber(ARGV[own + 6]))
end

-- seats is how many more may be called: as many as it takes, some of whom do not
-- come, until the units that are free have somebody for each.
function hooks.seats()
  return math.max(0, math.floor((free() - expected()) * (line.lead or 1) + 0.5))
end

function hooks.reach(reach)
  return math.min(reach, line.head + hooks.seats())
end

function hooks.settle()
  set('offered', line.offered + called() - before)
end

function hooks.show(picture)
  picture[#picture + 1] = exact(line.spent)
  picture[#picture + 1] = exact(unused)
  picture[#picture + 1] = exact(math.max(0, math.floor(free() - expected())))
end

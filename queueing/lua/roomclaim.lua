-- ARGV[17..]  places
-- Answers as lua/claim.lua does.

refill()

-- renewed is the end of a pass that still lives, where seats are kept.
local function renewed(place)
  local seat = most > 0 and redis.call('ZSCORE', KEYS[2], exact(place))
  local expires = seat and tonumber(seat) - GRACE or 0
  return expires > now and expires or nil
end

local function claim(place)
  if paused then
    return 'paused', '', '', ''
  elseif place >= called() then
    return 'not_called', '', '', ''
  end
  local expires = renewed(place)
  if expires then
    return 'pass', exact(math.min(now, expires - life)), exact(expires), '1'
  end
  -- A pass that has ended may have left a seat behind, which is taken again.
  local seats = free()
  if most > 0 and redis.call('ZSCORE', KEYS[2], exact(place)) then
    seats = seats + 1
  end
  if line.tokens < 1 or seats < 1 then
    local wait = math.max(1, (1 - math.min(line.tokens, 1)) / rate)
    set('denied', (line.denied or 0) + wait)
    return 'wait', exact(math.ceil(wait * 1000000)), '', ''
  end
  set('offered', math.max(0, (line.offered or 0) - 1))
  return 'pass', exact(now), exact(admit(place)), '0'
end

local answers = {}
for i = 17, #ARGV do
  local n = #answers
  answers[n + 1], answers[n + 2], answers[n + 3], answers[n + 4] = claim(tonumber(ARGV[i]))
end
answers[#answers + 1] = exact(line.passes or 0)
save()
return answers

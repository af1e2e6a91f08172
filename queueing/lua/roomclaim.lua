-- ARGV[own..]  places

refill()

-- renewed is the end of a pass that still lives, where seats are kept.
local function renewed(place)
  local seat = most > 0 and redis.call('ZSCORE', KEYS[2], exact(place))
  local expires = seat and tonumber(seat) - GRACE or 0
  return expires > now and expires or nil
end

local function claim(turn)
  local place = tonumber(turn)
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
    return later()
  end
  set('offered', math.max(0, (line.offered or 0) - 1))
  return 'pass', exact(now), exact(admit(place)), '0'
end

return answer(own, claim)

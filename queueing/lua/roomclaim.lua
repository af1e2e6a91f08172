-- ARGV[own..]  tickets: a place, a colon, an ID
-- A ticket brings in one pass: asking again while that lives costs nothing and
-- gives the same, and once it was released there is no other.

refill()

local function claim(ticket)
  local place, id = string.match(ticket, '^(%d+):(%x+)$')
  if paused then
    return 'paused', '', '', ''
  elseif tonumber(place) >= called() then
    return 'not_called', '', '', ''
  elseif left(id) then
    return 'left', '', '', ''
  end
  local expires = tonumber(redis.call('ZSCORE', KEYS[4], id) or 0)
  local again = expires > now
  -- A pass that was not shown has lost its seat, one that has ended may have left
  -- one behind.
  local seated = most > 0 and redis.call('ZSCORE', KEYS[2], id)
  if not seated and free() < 1 or not again and line.tokens < 1 then
    return later()
  elseif again then
    if not seated then
      reserve(id)
    end
    return 'pass', exact(math.min(now, expires - life)), exact(expires), '1'
  end
  set('offered', math.max(0, (line.offered or 0) - 1))
  expires = admit(id)
  redis.call('ZADD', KEYS[4], exact(expires), id)
  return 'pass', exact(now), exact(expires), '0'
end

return answer(own, claim)

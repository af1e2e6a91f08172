-- ARGV[own..] turns: a place, or i and an invitation's number
-- Asking again costs nothing while the pass lives, and gives the same. A turn whose
-- pass has ended, or was spent, stands back for as long again while others wait.

refill()

local function claim(turn)
  if closed then
    return closed, '', '', ''
  elseif uncalled(turn) then
    return 'not_called', '', '', ''
  end
  local last = ends(turn)
  if last > now then
    return 'pass', exact(last - life), exact(last), '1'
  elseif last > 0 and (line.waiting or 0) >= 0.25 then -- they ask once a second
    return 'wait', '1000000', '', ''
  end
  -- In its grace the pass before is still counted, and makes room for this one.
  local kept = last > now - GRACE and 1 or 0
  if line.tokens < 1 or free() + kept < 1 then
    return later()
  end
  admit(turn)
  return 'pass', exact(now), exact(now + life), '0'
end

return answer(own, claim)

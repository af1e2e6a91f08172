-- ARGV[own..]  the IDs of those who arrive
-- Answers the first number, how many from it on are admitted, when and until
-- when, and what the edge is to remember; or hold, and for how long.

local pause = hold()
if pause then
  return pause
end
refill()
local first, many, admitted = line.entered, #ARGV - own + 1, 0
set('entered', first + many)
if not armed and not paused then
  while admitted < many and line.tokens >= 1 and free() >= 1 do
    admit(ARGV[own + admitted])
    admitted = admitted + 1
  end
  set('head', first + admitted)
end
if admitted < many and line.armed ~= 1 then
  set('armed', 1)
  set('flow', rate)
end
save()
return tell({ 'arrived', exact(first), exact(admitted), exact(now), exact(now + life) })

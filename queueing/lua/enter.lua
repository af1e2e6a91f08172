-- ARGV[17]  how many numbers are wanted
-- Answers the first of them, and what the edge is to remember.

if now < doors then
  save()
  return { 'not_open' }
elseif now >= closes then
  save()
  return { 'ended' }
end
local first = line.entered
set('entered', first + tonumber(ARGV[17]))
save()
return { 'entered', exact(first), exact(line.entered), exact(line.drawn or -1), exact(line.born), line.seed }

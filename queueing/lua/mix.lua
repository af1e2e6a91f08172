-- ARGV[own]  the public value of the draw
-- Answers what the edge is to remember, with the value that holds: the first that
-- was given.

if now < doors then
  save()
  return { 'not_open' }
end
if line.mixed == '' then
  set('mixed', ARGV[own])
  set('mixedat', now)
end
save()
return tell({ 'mixed' })

-- ARGV[17]  the public value of the draw
-- Answers the one that holds, which is the first that was given, and what the
-- edge is to remember.

if now < doors then
  save()
  return { 'not_open' }
end
if line.mixed == '' then
  set('mixed', ARGV[17])
end
save()
return { 'mixed', line.mixed, exact(line.drawn or -1), exact(line.born), line.seed }

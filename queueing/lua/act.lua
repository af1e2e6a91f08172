-- ARGV[own..]  fields and values that an operator wants
-- Begins a new edition, which outranks those before it on every edge.

for i = own, #ARGV, 2 do
  set(ARGV[i], TEXT[ARGV[i]] and ARGV[i + 1] or tonumber(ARGV[i + 1]))
end
set('edition', (line.edition or 0) + 1)
save()
return { 'done' }

-- ARGV[17..]  fields and values that an operator orders
-- Answers the edition of the orders: each outranks those before it.

for i = 17, #ARGV, 2 do
  set(ARGV[i], TEXT[ARGV[i]] and ARGV[i + 1] or tonumber(ARGV[i + 1]))
end
set('edition', (line.edition or 0) + 1)
save()
return { 'ordered' }

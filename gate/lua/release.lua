-- release: give the units of a hold back, or drop its receipt without a unit.
-- ARGV: 1 hold 2 'give' or 'drop'
-- Answers whether there was a receipt.
if not open() then return {'closed'} end
local receipt = drop_receipt(ARGV[1])
if not receipt then return {'ok', '0'} end
if ARGV[2] == 'give' then
  redis.call('HINCRBY', KEYS[1], 'stock', receipt.qty)
  rose()
end
count(0, 1)
moved()
return {'ok', '1'}

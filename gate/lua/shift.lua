-- shift: the stock that the receipts leave, if nothing has moved since these were
-- read.
-- ARGV: 1 epoch and 2 moves then 3 units out 4 units paid; empty: as it is
-- Answers whether nothing had moved, and units added to the stock.
if not usable() then return {'closed'} end
local still, step = gate.epoch == tonumber(ARGV[1]) and gate.moves == tonumber(ARGV[2]), 0
if ARGV[4] ~= '' and redis.call('HGET', KEYS[1], 'paid') ~= ARGV[4] then
  redis.call('HSET', KEYS[1], 'paid', ARGV[4])
  moved()
end
if still then
  -- Below zero when more is out than there is: were it cut off at zero, the next
  -- unit to come back would be sold beyond the total.
  step = gate.total - tonumber(ARGV[3]) - gate.stock
end
if step ~= 0 then
  redis.call('HSET', KEYS[1], 'stock', plain(gate.stock + step))
  if step > 0 then rose() end
  moved()
end
return {'ok', still and '1' or '0', plain(step)}

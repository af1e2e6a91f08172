-- total: change how many units the sale has, by exactly the difference. Of several
-- buckets the first one has the sale's total, and adds and takes for all.
-- ARGV: 1 total wanted
-- Answers the total that came of it.
if not open() then return {'closed'} end
local step = tonumber(ARGV[1]) - gate.sale
if step < 0 then step = math.max(step, -math.max(0, gate.stock)) end -- units that are out stay out
if step ~= 0 then
  redis.call('HSET', KEYS[1], 'total', plain(gate.total + step), 'stock', plain(gate.stock + step),
    'sale', plain(gate.sale + step))
  if step > 0 then rose() end
  moved()
end
return {'ok', plain(gate.sale + step)}

-- total: change how many units the sale has, by exactly the difference. Of several
-- buckets the first one has the sale's total, and adds and takes for all.
-- ARGV: 1 total wanted
-- Answers the total that came of it.
if not usable() then return {'closed'} end
local sale = tonumber(redis.call('HGET', KEYS[1], 'sale') or plain(gate.total))
local step = tonumber(ARGV[1]) - sale
if step < -gate.stock then step = -gate.stock end -- units that are out stay out
if step ~= 0 then
  redis.call('HSET', KEYS[1], 'total', plain(gate.total + step), 'stock', plain(gate.stock + step))
  if gate.buckets ~= '1' then redis.call('HSET', KEYS[1], 'sale', plain(sale + step)) end
  if step > 0 then rose() end
  moved()
end
return {'ok', plain(sale + step)}

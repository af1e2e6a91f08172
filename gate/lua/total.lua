-- total: change how many units the sale has, by exactly the difference.
-- ARGV: 1 total wanted
-- Answers the total that came of it.
local gate = gate_state()
if not gate then return {'closed'} end
local step = tonumber(ARGV[1]) - gate.total
if step < -gate.stock then step = -gate.stock end -- units that are out stay out
if step ~= 0 then
  redis.call('HSET', KEYS[1], 'total', plain(gate.total + step), 'stock', plain(gate.stock + step))
  moved()
end
return {'ok', plain(gate.total + step)}

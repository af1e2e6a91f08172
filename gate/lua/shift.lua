-- shift: the stock that the receipts leave, the count of those that are paid, and the
-- counts of what was won and lapsed, if nothing has moved since these were read.
-- ARGV: 1 epoch and 2 moves then 3 units out 4 units of these that are paid
--       5 receipts
-- Answers whether nothing had moved, and units added to the stock.
if not open() then return {'closed'} end
if gate.epoch ~= tonumber(ARGV[1]) or gate.moves ~= tonumber(ARGV[2]) then return {'ok', '0', '0'} end

-- Below zero when more is out than there is: were it cut off at zero, the next unit
-- to come back would be sold beyond the total.
local step = gate.total - tonumber(ARGV[3]) - gate.stock
-- Neither count falls, whichever of the two somebody did not know of.
local won = math.max(gate.won, gate.lapsed + tonumber(ARGV[5]))
local lapsed = won - tonumber(ARGV[5])
if step ~= 0 or gate.paid ~= tonumber(ARGV[4]) or gate.won ~= won or gate.lapsed ~= lapsed then
  redis.call('HSET', KEYS[1], 'stock', plain(gate.stock + step), 'paid', ARGV[4])
  count(won - gate.won, lapsed - gate.lapsed)
  if step > 0 then rose() end
  moved()
end
return {'ok', '1', plain(step)}

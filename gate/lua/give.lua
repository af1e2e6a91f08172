-- give: take units out of this bucket, for another one, and keep a record of them.
-- ARGV: 1 receiver 2 most units 3 number of the transfer that the receiver took last
--       4 seen epoch 5 seen moves 6 how many buckets
-- Answers number and units of the transfer that is on its way, then the mark. While
-- the last one was not taken it is that one, so that asking twice gives once.
local gate = gate_since(ARGV[6], ARGV[4], ARGV[5])
if not gate then return {'closed'} end

local field, taken = 'gave:' .. ARGV[1], tonumber(ARGV[3])
local number, units = transfer(field)
if number < taken then -- this copy does not know of what it gave
  older(plain(gate.epoch))
  return {'closed'}
end
if number == taken then
  units = math.min(tonumber(ARGV[2]), math.max(0, gate.stock))
  if units > 0 then
    number = number + 1
    redis.call('HSET', KEYS[1], field, plain(number) .. ' ' .. plain(units),
      'stock', plain(gate.stock - units), 'total', plain(gate.total - units))
    gate.moves = moved()
  end
end
return {'ok', plain(number), plain(units), plain(gate.epoch), plain(gate.moves)}

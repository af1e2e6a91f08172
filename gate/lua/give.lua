-- give: take units out of this bucket, for another one, and keep a record of them.
-- ARGV: 1 receiver 2 most units 3 number of the transfer that the receiver took last
--       4 epoch in which it did
-- Answers number and units of the transfer that is on its way. While the last one
-- was not taken it is that one, so that asking twice gives once.
if not open() or gate.epoch ~= tonumber(ARGV[4]) then return {'closed'} end

local field, taken = 'gave:' .. ARGV[1], tonumber(ARGV[3])
local number, units = transfer(field)
if number < taken then -- this copy does not know of what it gave
  older()
  return {'closed'}
end
if number == taken then
  units = math.min(tonumber(ARGV[2]), math.max(0, gate.stock))
  if units > 0 then
    number = number + 1
    redis.call('HSET', KEYS[1], field, plain(number) .. ' ' .. plain(units),
      'stock', plain(gate.stock - units), 'total', plain(gate.total - units))
    moved()
  end
end
return {'ok', plain(number), plain(units)}

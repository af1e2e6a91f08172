-- take: credit transfers to this bucket, each once.
-- ARGV: 1 epoch in which they were given 2 seen epoch 3 seen moves 4 how many buckets,
--       then of each transfer: donor, number, units
-- Answers the mark. A transfer is the next one of its donor or was taken before.
local gate = gate_since(ARGV[4], ARGV[2], ARGV[3])
if not gate or gate.epoch ~= tonumber(ARGV[1]) then return {'closed'} end

local sum, last, had = 0, {}, {}
for i = 5, #ARGV, 3 do
  local field, number = 'took:' .. ARGV[i], tonumber(ARGV[i + 1])
  had[field] = had[field] or transfer(field)
  if number > had[field] + 1 then -- this copy does not know of what it took
    older(plain(gate.epoch))
    return {'closed'}
  end
  if number == had[field] + 1 then
    had[field] = number
    sum = sum + tonumber(ARGV[i + 2])
    last[#last + 1] = field
    last[#last + 1] = ARGV[i + 1] .. ' ' .. ARGV[i + 2]
  end
end
if #last > 0 then
  redis.call('HSET', KEYS[1], 'stock', plain(gate.stock + sum), 'total', plain(gate.total + sum), unpack(last))
  rose(gate)
  gate.moves = moved()
end
return {'ok', plain(gate.epoch), plain(gate.moves)}

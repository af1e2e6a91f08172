-- take: credit transfers to this bucket, each once.
-- ARGV: 1 epoch in which they were given, then of each: donor, number, units
-- A transfer is the next one of its donor or was taken before.
if not open() or gate.epoch ~= tonumber(ARGV[1]) then return {'closed'} end

local sum, last, had = 0, {}, {}
for i = 2, #ARGV, 3 do
  local field, number = 'took:' .. ARGV[i], tonumber(ARGV[i + 1])
  had[field] = had[field] or transfer(field)
  if number > had[field] + 1 then -- this copy does not know of what it took
    older()
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
  rose()
  moved()
end
return {'ok'}

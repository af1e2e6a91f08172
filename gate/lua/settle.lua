-- settle: acknowledge winners, take them out of the stream, and leave first notes:
-- also of a closed gate, which waits for an empty stream.
-- ARGV: 1 group 2 how many entries, then these, then of each note:
--       reservation, pay before ms, version, qty
-- The acknowledgement comes first: it is what a full Redis allows, and what
-- follows a first write.
-- Answers how many entries were gone already.
local gone = tonumber(ARGV[2])
local last = 2 + tonumber(ARGV[2])
for first = 3, last, 1000 do -- as many as fit on Lua's stack
  local upto = math.min(first + 999, last)
  redis.call('XACK', KEYS[4], ARGV[1], unpack(ARGV, first, upto))
  gone = gone - redis.call('XDEL', KEYS[4], unpack(ARGV, first, upto))
end
for i = last + 1, #ARGV, 4 do
  redis.call('HSETNX', KEYS[5], ARGV[i], cjson.encode({status = 'held', pay_before = tonumber(ARGV[i + 1]),
    version = tonumber(ARGV[i + 2]), qty = tonumber(ARGV[i + 3])}))
end
if last < #ARGV then moved() end
return {'ok', plain(gone)}

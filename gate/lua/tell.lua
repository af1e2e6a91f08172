-- tell: leave a note about a reservation, unless a newer one is there.
-- ARGV: 1 reservation 2 status 3 pay before ms 4 version 5 qty
read_all()
local value = redis.call('HGET', KEYS[5], ARGV[1])
local old = value and cjson.decode(value)
if old and old.version >= tonumber(ARGV[4]) then return {'ok'} end

redis.call('HSET', KEYS[5], ARGV[1], cjson.encode({status = ARGV[2], pay_before = tonumber(ARGV[3]),
  version = tonumber(ARGV[4]), qty = tonumber(ARGV[5])}))

-- paid counts the units that can never come back.
local was = old and old.status == 'paid' and old.qty or 0
local is = ARGV[2] == 'paid' and tonumber(ARGV[5]) or 0
if is ~= was and redis.call('HEXISTS', KEYS[1], 'epoch') == 1 then
  redis.call('HINCRBY', KEYS[1], 'paid', is - was)
  moved()
end
return {'ok'}

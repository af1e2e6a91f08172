-- clear: begin a rebuild. There is no gate from here until build.
-- ARGV: 1 why it was closed 2 epoch 3 whether other buckets that it had are known to
--       be at rest
-- Answers whether it did, whether there is nothing to do since the gate is that
-- rebuild, and how many buckets it had.
if gate.built and not gate.closed and plain(gate.epoch) == ARGV[2] then return {'ok', '1', '1', gate.buckets} end
if gate.closed ~= ARGV[1] or redis.call('XLEN', KEYS[4]) > 0 then return {'ok', '0', '0', gate.buckets} end
if tonumber(gate.buckets) > tonumber(buckets) and ARGV[3] ~= '1' then return {'ok', '0', '0', gate.buckets} end

redis.call('HLEN', KEYS[5]) -- before the first write: Redis undoes nothing
redis.call('UNLINK', KEYS[2])
-- The index stays. It counts only with a receipt, and a ticket's last reservation
-- outlives that.
local kind = redis.call('TYPE', KEYS[3])
kind = kind.ok or kind
if kind ~= 'hash' and kind ~= 'none' then redis.call('UNLINK', KEYS[3]) end
redis.call('HDEL', KEYS[1], 'epoch')
redis.call('HSET', KEYS[1], 'floor', ARGV[2])
return {'ok', '1', '0', gate.buckets}

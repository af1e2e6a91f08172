-- clear: begin a rebuild. There is no gate from here until build.
-- ARGV: 1 why it was closed 2 epoch 3 whether other buckets that it had are known to
--       be at rest
-- Answers whether it did, whether there is nothing to do since the gate is that
-- rebuild, and how many buckets it had.
local had = plain(gate.buckets)
if gate.built and not gate.closed and plain(gate.epoch) == ARGV[2] then return {'ok', '1', '1', had} end
if gate.closed ~= ARGV[1] or redis.call('XLEN', KEYS[4]) > 0 then return {'ok', '0', '0', had} end
if gate.buckets > buckets and ARGV[3] ~= '1' then return {'ok', '0', '0', had} end

redis.call('UNLINK', KEYS[2])
-- The index stays. It counts only with a receipt, and a ticket's last reservation
-- outlives that.
redis.call('HDEL', KEYS[1], 'epoch')
redis.call('HSET', KEYS[1], 'floor', ARGV[2])
return {'ok', '1', '0', had}

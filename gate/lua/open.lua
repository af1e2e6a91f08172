-- open: let a bucket sell that was rebuilt with the others and is closed yet.
-- ARGV: 1 why it was closed 2 epoch
-- Answers whether it is open now, as it was rebuilt.
if not gate.built or plain(gate.epoch) ~= ARGV[2] then return {'ok', '0'} end
if not gate.closed then return {'ok', '1'} end -- the first run's reply was lost
if gate.closed ~= ARGV[1] then return {'ok', '0'} end
redis.call('HDEL', KEYS[1], 'closed')
return {'ok', '1'}

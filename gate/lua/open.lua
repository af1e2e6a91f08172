-- open: let a bucket sell that was rebuilt with the others and is closed yet.
-- ARGV: 1 why it was closed 2 epoch
-- Answers whether it is open now, as it was rebuilt.
local f = redis.call('HMGET', KEYS[1], 'closed', 'epoch')
if f[2] ~= ARGV[2] then return {'ok', '0'} end
if not f[1] or f[1] == '' then return {'ok', '1'} end -- the first run's reply was lost
if f[1] ~= ARGV[1] then return {'ok', '0'} end
redis.call('HDEL', KEYS[1], 'closed')
return {'ok', '1'}

-- unlock: frees a lock, if who frees it holds it.
-- KEYS: 1 locks   ARGV: 1 name 2 holder
-- Answers 1, or 0: it was lost before.
local holder = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%S+) ')
if holder ~= ARGV[2] then
  return 0
end
redis.call('HDEL', KEYS[1], ARGV[1])
return 1

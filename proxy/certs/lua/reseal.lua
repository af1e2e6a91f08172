-- reseal: puts a value in the place of another, if that is still there.
-- KEYS: 1 files   ARGV: 1 name 2 old 3 new
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end
return 0

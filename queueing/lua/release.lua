-- ARGV[17]  a place that leaves

if redis.call('ZREM', KEYS[2], ARGV[17]) == 1 then
  redis.call('ZADD', KEYS[3], exact(now + LEFT), ARGV[17])
end
save()
return { 'done' }

-- ARGV[17]  a place that leaves

redis.call('ZREM', KEYS[2], ARGV[17])
redis.call('ZADD', KEYS[3], exact(now + LEFT), ARGV[17])
save()
return { 'done' }

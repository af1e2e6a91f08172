-- ARGV[own]  a place that leaves

redis.call('ZREM', KEYS[2], ARGV[own])
redis.call('ZADD', KEYS[3], exact(now + LEFT), ARGV[own])
save()
return { 'done' }

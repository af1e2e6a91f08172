-- close: sell nothing until a rebuild.
-- ARGV: 1 why
redis.call('HSET', KEYS[1], 'closed', ARGV[1])
return {'ok'}

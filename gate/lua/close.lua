-- close: sell nothing until a rebuild.
-- ARGV: 1 why
-- Answers in how many buckets it was built.
redis.call('HSET', KEYS[1], 'closed', ARGV[1])
gate.closed = ARGV[1]
return {'ok', gate.buckets}

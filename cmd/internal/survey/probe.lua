-- probe: every command that the scripts and the worker use, on keys of its own.
-- KEYS: 1 hash 2 bits 3 stream 4 sorted set
-- Answers the commands that failed, each with why: a user may lack rights to
-- some of them, and a full or read-only Redis refuses those that write.
local failed = {}
local function try(...)
  local said = redis.pcall(...)
  if type(said) == 'table' and said.err then
    failed[#failed + 1] = (...)
    failed[#failed + 1] = said.err
  end
end

local hash, bits, stream, set = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
try('TIME')
try('HSET', hash, 'a', '1')
try('HSETNX', hash, 'b', '1')
try('HGET', hash, 'a')
try('HMGET', hash, 'a', 'b')
try('HGETALL', hash)
try('HVALS', hash)
try('HKEYS', hash)
try('HLEN', hash)
try('HSCAN', hash, '0')
try('HEXISTS', hash, 'a')
try('HINCRBY', hash, 'a', '1')
try('HDEL', hash, 'b')
try('EXISTS', hash)
try('TYPE', hash)
try('PEXPIREAT', hash, '99999999999999')
try('SETBIT', bits, '7', '1')
try('GETBIT', bits, '7')
try('ZADD', set, 'GT', '1', 'a')
try('ZSCORE', set, 'a')
try('ZCARD', set)
try('ZCOUNT', set, '0', '1')
try('ZRANGEBYSCORE', set, '0', '1')
try('ZREMRANGEBYSCORE', set, '2', '3')
try('ZREM', set, 'a')
try('XADD', stream, '1-1', 'a', '1')
try('XLEN', stream)
try('XRANGE', stream, '-', '+')
try('XGROUP', 'CREATE', stream, 'survey', '0')
try('XREADGROUP', 'GROUP', 'survey', 'one', 'COUNT', '1', 'STREAMS', stream, '>')
try('XAUTOCLAIM', stream, 'survey', 'two', '0', '0-0', 'COUNT', '1')
try('XPENDING', stream, 'survey')
try('XINFO', 'CONSUMERS', stream, 'survey')
try('XACK', stream, 'survey', '1-1')
try('XDEL', stream, '1-1')
try('XGROUP', 'DELCONSUMER', stream, 'survey', 'two')
try('UNLINK', hash)
try('SADD', hash, 'a')
try('DEL', hash, bits, stream, set)
return failed

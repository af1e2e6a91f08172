-- put: puts a value in the place of another, or of nothing, if that is still so.
-- KEYS: 1 files or tickets   ARGV: 1 name 2 old, empty: nothing 3 new
-- Answers what is there then.
local is = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if is ~= ARGV[2] then
  return is
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return ARGV[3]

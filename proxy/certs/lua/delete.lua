-- delete: removes a file, or a folder with all that is in it.
-- KEYS: 1 files   ARGV: 1 name
redis.call('HDEL', KEYS[1], ARGV[1])
local folder = ARGV[1] .. '/'
for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(name, 1, #folder) == folder then
    redis.call('HDEL', KEYS[1], name)
  end
end
return 0

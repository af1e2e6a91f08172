-- audit: the state and every receipt, hold by hold.
local out = look()
for _, item in ipairs(redis.call('HGETALL', KEYS[2])) do out[#out + 1] = item end
return out

-- audit: the state, how many index entries are wrong, and every receipt, hold by
-- hold.
local out, wrong = look(), 0
for _ in pairs(misfiled()) do wrong = wrong + 1 end
out[#out + 1] = plain(wrong)
for _, item in ipairs(redis.call('HGETALL', KEYS[2])) do out[#out + 1] = item end
return out

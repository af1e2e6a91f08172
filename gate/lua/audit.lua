-- audit: the state, how many index entries are wrong, and every receipt, hold by
-- hold.
-- ARGV: 1 how many buckets
local out, wrong = look(ARGV[1]), 0
for _ in pairs(misfiled()) do wrong = wrong + 1 end
out[#out + 1] = plain(wrong)
for _, item in ipairs(redis.call('HGETALL', KEYS[2])) do out[#out + 1] = item end
return out

-- lock: takes a lock that is free, or whose holder has let its lease run out;
-- or prolongs the lease of who holds it.
-- KEYS: 1 locks   ARGV: 1 name 2 holder 3 lease, ms 4 "take" or "keep"
-- Answers 1, or 0: another holds it, or who wants to keep it has lost it.
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local holder, ends = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%S+) (%d+)$')
if holder ~= ARGV[2] and (ARGV[4] == 'keep' or holder and tonumber(ends) > now) then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. string.format('%.0f', now + ARGV[3]))
return 1

-- KEYS[..]   at the end, for each account the hash that its record is in
-- ARGV[17]   how many numbers are wanted without an account
-- ARGV[18..] accounts, hashed
-- Answers the first of the numbers without an account, what the edge is to
-- remember, and the number of each account.

if now < doors then
  save()
  return { 'not_open' }
elseif now >= closes then
  save()
  return { 'ended' }
end

local first = line.entered
set('entered', first + tonumber(ARGV[17]))

-- The number that an account has, or a new one. Records of a line that was
-- forgotten are worth nothing: their numbers are given anew.
local function record(key, account)
  local born = exact(line.born)
  local found = redis.call('HMGET', key, 'born', account)
  if found[1] == born and found[2] then
    return found[2]
  elseif found[1] and found[1] ~= born then
    redis.call('DEL', key)
  end
  local number = exact(line.entered)
  set('entered', line.entered + 1)
  redis.call('HSET', key, 'born', born, account, number)
  expire(key)
  return number
end

local answer = { 'entered', exact(first), '', exact(line.drawn or -1), line.mixed, exact(line.born), line.seed }
for i = 18, #ARGV do
  answer[#answer + 1] = record(KEYS[#KEYS - #ARGV + i], ARGV[i])
end
answer[3] = exact(line.entered)
save()
return answer

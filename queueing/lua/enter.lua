-- KEYS[..]      at the end, for each account the hash that its record is in
-- ARGV[own]     how many numbers are wanted without an account
-- ARGV[own+1..] accounts, hashed
-- Answers the first of the numbers without an account, the number of each account,
-- and what the edge is to remember; or hold, and for how long.

if now < doors then
  save()
  return { 'not_open' }
elseif now >= closes then
  save()
  return { 'ended' }
end
local pause = hold()
if pause then
  return pause
end

local born = exact(line.born)

-- record is the number that an account has, or a new one. Records of a line that
-- was forgotten are worth nothing: their numbers are given anew. A hash is kept
-- as long as the line: its closing does not move once the doors are open.
local function record(key, account)
  local found = redis.call('HMGET', key, 'born', account)
  local known = found[1] == born
  if known and found[2] then
    return found[2]
  elseif found[1] and not known then
    redis.call('DEL', key)
  end
  local number = exact(line.entered)
  set('entered', line.entered + 1)
  if known then
    redis.call('HSET', key, account, number)
  else
    redis.call('HSET', key, 'born', born, account, number)
    expire(key)
  end
  return number
end

local answer = { 'entered', exact(line.entered) }
set('entered', line.entered + tonumber(ARGV[own]))
for i = own + 1, #ARGV do
  answer[#answer + 1] = record(KEYS[#KEYS - #ARGV + i], ARGV[i])
end
save()
return tell(answer)

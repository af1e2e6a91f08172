-- KEYS[9..]     for each account the hash that its record is in
-- ARGV[own]     how many numbers are wanted without account and proof
-- ARGV[own+1]   how many of those behind the draw
-- ARGV[own+2..] for each other entry: 1 if it is to stand behind the draw, its
--               account, hashed, or '', its proof or ''
-- Answers the first of the numbers without account and proof, the first behind the
-- draw, for each other entry its number or spent, and what the edge is to remember;
-- or hold, and for how long. A number behind the draw is written with a b before it,
-- one that the account had with a = before that.

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

-- take gives the next numbers, the first of so many. Once the lottery is closed,
-- who is to stand behind the draw does so as everybody does who comes then.
local function take(many, behind)
  if behind and line.drawn < 0 then
    local first = line.behind
    set('behind', first + many)
    return 'b' .. exact(first)
  end
  local first = line.entered
  set('entered', first + many)
  return exact(first)
end

-- record is the number that an account has, or a new one if its proof is good. The
-- first in the draw holds; one behind it gives way to one in it, as long as there is
-- none drawn, and is the account's no more, though a ticket of it is not taken back.
-- Records of a line that was forgotten are worth nothing: their numbers are given
-- anew. A hash is kept as long as the line: its closing does not move once the doors
-- are open.
local function record(key, account, behind, proof)
  local found = redis.call('HMGET', key, 'born', account)
  local known = found[1] == born
  local has = known and found[2]
  local rises = has and not behind and line.drawn < 0 and string.sub(has, 1, 1) == 'b'
  if has and not rises then
    return '=' .. has
  elseif not spend(proof) then
    return 'spent'
  elseif found[1] and not known then
    redis.call('DEL', key)
  end
  local number = take(1, behind)
  if known then
    redis.call('HSET', key, account, number)
  else
    redis.call('HSET', key, 'born', born, account, number)
    expire(key)
  end
  return number
end

local answer = { 'entered', take(tonumber(ARGV[own]), false), take(tonumber(ARGV[own + 1]), true) }
local key = 9
for i = own + 2, #ARGV, 3 do
  local behind, account, proof = ARGV[i] == '1', ARGV[i + 1], ARGV[i + 2]
  if account ~= '' then
    answer[#answer + 1] = record(KEYS[key], account, behind, proof)
    key = key + 1
  elseif spend(proof) then
    answer[#answer + 1] = take(1, behind)
  else
    answer[#answer + 1] = 'spent'
  end
end
save()
return tell(answer)

-- audit: some receipts, and whether the index names each under its account and its
-- ticket.
-- ARGV: 1 cursor, 0 at the beginning 2 about how many
-- Answers the next cursor, 0 at the end, epoch and moves, also of a closed gate, and
-- what time it is; then of each: hold, receipt, whether it is named, and whether its
-- note says that it is paid. One may come twice.
local page = redis.call('HSCAN', KEYS[2], ARGV[1], 'COUNT', ARGV[2])
local out = {'ok', page[1], plain(gate.epoch), plain(gate.moves), plain(now_ms())}

local function names(entry, hold)
  return entry and string.find(' ' .. entry .. ' ', ' ' .. hold .. ' ', 1, true)
end

for i = 1, #page[2], 2 do
  local hold, value = page[2][i], page[2][i + 1]
  local r = cjson.decode(value)
  local index = redis.call('HMGET', KEYS[3], 'a:' .. r.account, 't:' .. r.ticket)
  local note = redis.call('HGET', KEYS[5], reservation_of(hold))
  out[#out + 1] = hold
  out[#out + 1] = value
  out[#out + 1] = names(index[1], hold) and names(index[2], hold) and '1' or '0'
  out[#out + 1] = note and cjson.decode(note).status == 'paid' and '1' or '0'
end
return out

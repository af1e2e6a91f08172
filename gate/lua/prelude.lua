-- Shared by all scripts of the gate.
-- KEYS: 1 state  2 receipts  3 index  4 winners  5 notes
-- ARGV: how many buckets, the seen epoch, moves and stamp, and then the script's own,
--       which count from 1. Seen is the newest state that the asker knows of this gate.
--
-- index fields: a:<account> and t:<ticket> = "<hold> <hold> …", those that are out,
--               k:<account>\n<key> = "<hold> <digest>",
--               l:<ticket> = last reservation, kept after its receipt is gone.
-- A hold in it counts only while it has a receipt. Of several buckets, also
--               b:<ticket> at home here = "<generation> <account>", who may use it,
--               f:<ticket> = the lowest generation that may use it here.
--
-- state fields: the numbers of gate; closed = why it sells nothing;
--               s:<n> = "<moves> <stamp>" of each of the last moves, n = moves modulo
--               how many of them are kept;
--               sale = units of the whole sale (in bucket 0);
--               rises = how often the stock grew;
--               won, lapsed = receipts ever written, and ever removed, see count;
--               gave:<bucket> and took:<bucket> = "<number> <units>" of the last
--               transfer to and from it.
--
-- Every answer is a list of texts that begins with 'ok', or with why not, and ends
-- with the mark, see marked. Yes and no are '1' and '0'.

local buckets = tonumber(table.remove(ARGV, 1))
local seen = {epoch = tonumber(table.remove(ARGV, 1)), moves = tonumber(table.remove(ARGV, 1)), stamp = table.remove(ARGV, 1)}

-- plain writes a whole number without exponent, whatever its size.
local function plain(n) return string.format('%.0f', n) end

-- whole reads a number as plain writes it; nil when it is none, or more than Lua
-- holds exactly.
local function whole(text, pattern)
  local n = string.match(text, pattern) and tonumber(text)
  return n and math.abs(n) <= 9007199254740991 and n or nil
end

local function now_us()
  local t = redis.call('TIME')
  return t[1] * 1000000 + t[2]
end

local function now_ms() return math.floor(now_us() / 1000) end

-- gate is the state as the script finds it. Not built: there is none. closed is why
-- it sells nothing; nil when it sells. stamp is when it moved last.
local gate = {epoch = 0, moves = 0, floor = 0, buckets = 1, rises = 0, stamp = 0, lapsed = 0, total = 0, stock = 0, paid = 0}

-- shut closes the gate: nobody may use it until the ledger has rebuilt it, above the
-- epoch that was seen. HDEL comes first, since a full Redis allows it, and what
-- follows a first write.
local function shut(why)
  gate.closed = why
  redis.call('HDEL', KEYS[1], 'closed')
  redis.call('HSET', KEYS[1], 'closed', why, 'floor', plain(math.max(seen.epoch, gate.epoch, gate.floor)))
end

-- damaged forgets a field of the state that no script wrote, and shuts the gate.
local function damaged(field)
  redis.call('HDEL', KEYS[1], field)
  shut(field .. ' was no number')
end

-- Redis undoes nothing, so a key of another type must be met before the first write,
-- not half-way. It goes: what it should have is in the ledger.
local torn
for i, want in ipairs({'hash', 'hash', 'hash', 'stream', 'hash'}) do
  local kind = redis.call('TYPE', KEYS[i])
  kind = kind.ok or kind
  if kind ~= want and kind ~= 'none' then
    redis.call('UNLINK', KEYS[i])
    torn = 'was a ' .. kind .. ' where a ' .. want .. ' should be'
  end
end

do
  local names = {'epoch', 'moves', 'floor', 'buckets', 'rises', 'stamp', 'won', 'lapsed', 'total', 'sale', 'stock', 'paid', 'closed'}
  local found, wrong = redis.call('HMGET', KEYS[1], unpack(names)), {}
  for i = 1, #names - 1 do
    local n = found[i] and whole(found[i], i <= 8 and '^%d+$' or '^%-?%d+$') -- sums may be below zero
    if found[i] and not n then wrong[#wrong + 1] = names[i] end
    gate[names[i]] = n or gate[names[i]]
    if i == 1 then gate.built = n and true or false end
  end
  local closed = found[#names]
  gate.sale, gate.closed = gate.sale or gate.total, closed and closed ~= '' and closed or nil
  gate.won = gate.won or redis.call('HLEN', KEYS[2]) -- built before they were counted
  if torn then shut(torn) end
  for _, name in ipairs(wrong) do damaged(name) end
end

-- older closes a gate of which something newer was seen: a failover forgot
-- something.
local function older() shut('older than one already seen') end

-- kept is of how many moves the stamps are kept: as many as may be made between a
-- failover and the first script of somebody who saw what it forgot.
local kept = 256

-- has reports whether the gate's past has the state that was seen. By moves alone an
-- older copy would pass as soon as it has made as many of its own. What is longer ago
-- than stamps are kept is believed.
local function has()
  if gate.epoch ~= seen.epoch then return gate.epoch > seen.epoch end
  if gate.moves < seen.moves then return false end
  local moves, stamp = string.match(redis.call('HGET', KEYS[1], 's:' .. seen.moves % kept) or '', '^(%d+) (%d+)$')
  return seen.stamp == '0' or tonumber(moves or '') ~= seen.moves or stamp == seen.stamp
end

if gate.built and not gate.closed and not has() then older() end

-- open reports whether the gate sells to who asks, in so many buckets.
local function open() return gate.built and not gate.closed and gate.buckets == buckets end

-- moved counts a change, so that a copy without it is known as older.
local function moved()
  if not gate.built then return end
  gate.moves, gate.stamp = gate.moves + 1, now_us()
  local moves, stamp = plain(gate.moves), plain(gate.stamp)
  redis.call('HSET', KEYS[1], 'moves', moves, 'stamp', stamp, 's:' .. gate.moves % kept, moves .. ' ' .. stamp)
end

-- marked ends an answer with the mark, epoch, moves and stamp; zeros of a gate that is
-- not open.
local function marked(answer)
  for _, part in ipairs({gate.epoch, gate.moves, gate.stamp}) do
    answer[#answer + 1] = open() and plain(part) or '0'
  end
  return answer
end

-- left is what can be taken of a stock. It is below zero while more units are
-- out than there are; the next ones that come back make up for it.
local function left(stock) return plain(math.max(0, stock)) end

-- rose notes that the stock grew: who sees it zero in all buckets must know that
-- it was so in all at once.
local function rose() redis.call('HINCRBY', KEYS[1], 'rises', 1) end

-- count notes that so many receipts were written, and so many removed: what was won
-- and has not lapsed is out. Both only grow until the next rebuild.
local function count(won, lapsed)
  gate.won, gate.lapsed = gate.won + won, gate.lapsed + lapsed
  redis.call('HSET', KEYS[1], 'won', plain(gate.won), 'lapsed', plain(gate.lapsed))
end

-- is_out reports whether a hold has a receipt.
local function is_out(hold) return redis.call('HEXISTS', KEYS[2], hold) == 1 end

-- last_out is the last hold of an index entry that is out, or nil.
local function last_out(entry)
  local last
  for hold in string.gmatch(entry or '', '%S+') do
    if is_out(hold) then last = hold end
  end
  return last
end

-- reservation_of is the reservation that a hold is of, see HoldID.
local function reservation_of(hold) return (string.gsub(hold, '/.*$', '')) end

-- refile takes a hold out of an index entry and, with add, puts it at its end. What
-- else is in the entry and not out goes too.
local function refile(field, hold, add)
  local rest = {}
  for had in string.gmatch(redis.call('HGET', KEYS[3], field) or '', '%S+') do
    if had ~= hold and is_out(had) then rest[#rest + 1] = had end
  end
  if add then rest[#rest + 1] = hold end
  if #rest == 0 then
    redis.call('HDEL', KEYS[3], field)
  else
    redis.call('HSET', KEYS[3], field, table.concat(rest, ' '))
  end
end

-- put_receipt records that units are out. It does not touch the stock.
local function put_receipt(hold, r)
  redis.call('HSET', KEYS[2], hold, cjson.encode(r))
  refile('a:' .. r.account, hold, true)
  refile('t:' .. r.ticket, hold, true)
end

-- drop_receipt is the give-back: it returns the receipt only to the one call
-- that removed it. HDEL comes first of all writes, since a full Redis allows it,
-- and what follows a first write.
local function drop_receipt(hold)
  local value = redis.call('HGET', KEYS[2], hold)
  if not value then return nil end
  redis.call('HDEL', KEYS[2], hold)
  local r = cjson.decode(value)
  if r.key and r.key ~= '' then redis.call('HDEL', KEYS[3], 'k:' .. r.account .. '\n' .. r.key) end
  refile('a:' .. r.account, hold, false)
  refile('t:' .. r.ticket, hold, false)
  return r
end

-- renew writes a note, unless one that is as new is there. It answers the one that
-- was there, if any, and whether it wrote.
local function renew(reservation, note)
  local value = redis.call('HGET', KEYS[5], reservation)
  local old = value and cjson.decode(value) or nil
  if old and old.version >= note.version then return old, false end
  redis.call('HSET', KEYS[5], reservation, cjson.encode(note))
  return old, true
end

-- restore records what an order of the ledger holds, and says. Its winner has
-- arrived, so no stream entry owns it.
local function restore(live)
  put_receipt(live.hold, {account = live.account, ticket = live.ticket, qty = live.qty, entry = '',
    taken = live.taken, pay_before = live.pay_before})
  redis.call('HSET', KEYS[3], 'l:' .. live.ticket, live.reservation)
  renew(live.reservation, {status = live.status, pay_before = live.pay_before, version = live.version, qty = live.qty})
end

-- read_transfer reads a record of one, number and units; zeros where there is none.
local function read_transfer(field, record)
  if not record then return 0, 0 end
  local number, units = string.match(record, '^(%d+) (%d+)$')
  number, units = number and whole(number, ''), units and whole(units, '')
  if number and units then return number, units end
  damaged(field)
  return 0, 0
end

-- transfer is the last one to or from a bucket.
local function transfer(field) return read_transfer(field, redis.call('HGET', KEYS[1], field)) end

-- bound tells of a ticket that is at home here which account may use it, and in
-- which generation; nil and zero when it is free.
local function bound(ticket)
  local generation, account = string.match(redis.call('HGET', KEYS[3], 'b:' .. ticket) or '', '^(%d+) (.*)$')
  return account, tonumber(generation or '0')
end

-- may_use reports whether an account may use a ticket now, or answers why not.
-- generation is that of its binding in the ticket's bucket, made under an epoch;
-- or 'home' when that bucket is this one; or empty when there is but one bucket.
local function may_use(account, ticket, generation, epoch)
  if generation == '' then return nil end
  if generation == 'home' then
    local other, theirs = bound(ticket)
    if other and other ~= account then return {'bound', other, plain(theirs), plain(gate.epoch)} end
    return nil
  end
  local least = tonumber(redis.call('HGET', KEYS[3], 'f:' .. ticket) or '0')
  if tonumber(epoch) ~= gate.epoch then return {'unbound', '0'} end
  if tonumber(generation) < least then return {'unbound', plain(least)} end
  return nil
end


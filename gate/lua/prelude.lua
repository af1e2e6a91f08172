-- Shared by all scripts of the gate.
-- KEYS: 1 state  2 receipts  3 index  4 winners  5 notes
--
-- index fields: a:<account> and t:<ticket> = "<hold> <hold> …", those that are out,
--               k:<account>\n<key> = "<hold> <digest>",
--               l:<ticket> = last reservation, kept after its receipt is gone.
-- A hold in it counts only while it has a receipt. Of several buckets, also
--               b:<ticket> at home here = "<generation> <account>", who may use it,
--               f:<ticket> = the lowest generation that may use it here.
--
-- state fields, besides those of gate_state, of several buckets:
--               buckets, sale = units of the whole sale (in bucket 0),
--               gave:<bucket> and took:<bucket> = "<number> <units>" of the last
--               transfer to and from it, rises = how often the stock grew.
--
-- Every answer is a list of texts that begins with 'ok', or with why not. Yes
-- and no are '1' and '0'.

local function now_ms()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end

-- read_all reads every key that a script may write. Redis undoes nothing, so a
-- key of another type must be met before the first write, not half-way.
local function read_all()
  for _, key in ipairs({KEYS[1], KEYS[2], KEYS[3], KEYS[5]}) do redis.call('HLEN', key) end
  redis.call('XLEN', KEYS[4])
end

-- gate_state returns the gate's fields, or nil when it must not be used: also, if
-- buckets are given, when it was built in another number of them.
local function gate_state(buckets)
  read_all()
  local f = redis.call('HMGET', KEYS[1], 'epoch', 'moves', 'stock', 'closed', 'total', 'buckets')
  if not f[1] or (f[4] and f[4] ~= '') then return nil end
  if buckets and buckets ~= (f[6] or '1') then return nil end
  return {epoch = tonumber(f[1]), moves = tonumber(f[2]), stock = tonumber(f[3]), total = tonumber(f[5]),
    buckets = tonumber(f[6] or '1')}
end

-- older closes a gate of which something newer was seen.
local function older(epoch)
  redis.call('HSET', KEYS[1], 'closed', 'older than one already seen', 'floor', epoch)
end

-- gate_since is gate_state of a gate that is no older than a mark. If it is, a
-- failover forgot something, and nobody may use it until the ledger has rebuilt
-- it, above the epoch that was seen.
local function gate_since(buckets, epoch, moves)
  local gate = gate_state(buckets)
  if not gate then return nil end
  local e, m = tonumber(epoch), tonumber(moves)
  if gate.epoch < e or (gate.epoch == e and gate.moves < m) then
    older(epoch)
    return nil
  end
  return gate
end

-- plain writes a whole number without exponent, whatever its size.
local function plain(n) return string.format('%.0f', n) end

-- left is what can be taken of a stock. It is below zero while more units are
-- out than there are; the next ones that come back make up for it.
local function left(stock) return plain(math.max(0, stock)) end

-- transfers are the last ones that were given to each bucket, or taken from it:
-- bucket, number and units of each.
local function transfers(field, buckets)
  local names, list = {}, {}
  for i = 0, buckets - 1 do names[i + 1] = field .. i end
  for i, last in ipairs(redis.call('HMGET', KEYS[1], unpack(names))) do
    if last then list[#list + 1] = (i - 1) .. ' ' .. last end
  end
  return table.concat(list, ' ')
end

-- look is the state of one of so many buckets as it is answered.
local function look(buckets)
  local f = redis.call('HMGET', KEYS[1], 'epoch', 'moves', 'total', 'stock', 'paid', 'closed', 'floor', 'buckets', 'sale', 'rises')
  local n = tonumber(buckets)
  return {'ok', f[1] and '1' or '0', f[1] or '0', f[2] or '0', f[3] or '0', f[4] or '0', f[5] or '0',
    plain(redis.call('XLEN', KEYS[4])), f[6] or '', f[7] or '0', f[8] or '1', f[9] or f[3] or '0', f[10] or '0',
    n > 1 and transfers('gave:', n) or '', n > 1 and transfers('took:', n) or ''}
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

-- refile takes a hold out of an index entry and, with add, puts it at its end.
local function refile(field, hold, add)
  local kept = {}
  for had in string.gmatch(redis.call('HGET', KEYS[3], field) or '', '%S+') do
    if had ~= hold then kept[#kept + 1] = had end
  end
  if add then kept[#kept + 1] = hold end
  if #kept == 0 then
    redis.call('HDEL', KEYS[3], field)
  else
    redis.call('HSET', KEYS[3], field, table.concat(kept, ' '))
  end
end

-- put_receipt records that units are out. It does not touch the stock.
local function put_receipt(hold, r)
  redis.call('HSET', KEYS[2], hold, cjson.encode(r))
  refile('a:' .. r.account, hold, true)
  refile('t:' .. r.ticket, hold, true)
end

-- restore_receipt records what an order of the ledger holds. Its winner has
-- arrived, so no stream entry owns it.
local function restore_receipt(live)
  put_receipt(live.hold, {account = live.account, ticket = live.ticket, qty = live.qty, entry = '',
    taken = live.taken, pay_before = live.pay_before})
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

local function moved() return redis.call('HINCRBY', KEYS[1], 'moves', 1) end

-- rose notes that the stock grew: who sees it zero in all buckets must know that
-- it was so in all at once.
local function rose(gate)
  if gate.buckets > 1 then redis.call('HINCRBY', KEYS[1], 'rises', 1) end
end

-- transfer reads the number and the units of the last transfer to or from a
-- bucket; zeros before the first.
local function transfer(field)
  local number, units = string.match(redis.call('HGET', KEYS[1], field) or '0 0', '^(%d+) (%d+)$')
  return tonumber(number), tonumber(units)
end

-- bound tells of a ticket that is at home here which account may use it, and in
-- which generation; nil and zero when it is free.
local function bound(ticket)
  local generation, account = string.match(redis.call('HGET', KEYS[3], 'b:' .. ticket) or '', '^(%d+) (.*)$')
  return account, tonumber(generation or '0')
end

-- may_use reports whether an account may use a ticket now, or answers why not.
-- generation is that of its binding in the ticket's bucket, made under an epoch;
-- or 'home' when that bucket is this one; or empty when there is but one bucket.
local function may_use(gate, account, ticket, generation, epoch)
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

-- entry_there reports whether a winner is still on its way.
local function entry_there(entry)
  if not entry or entry == '' then return false end
  return #redis.call('XRANGE', KEYS[4], entry, entry) > 0
end

-- held_units is the sum of all receipts.
local function held_units()
  local sum = 0
  for _, value in ipairs(redis.call('HVALS', KEYS[2])) do
    sum = sum + cjson.decode(value).qty
  end
  return sum
end

-- misfiled gives the index entries of accounts and tickets that are not what the
-- receipts say, by field, each with the holds that it should have.
local function misfiled()
  local want = {}
  local function file(field, hold)
    want[field] = want[field] or {}
    table.insert(want[field], hold)
  end
  local receipts = redis.call('HGETALL', KEYS[2])
  for i = 1, #receipts, 2 do
    local r = cjson.decode(receipts[i + 1])
    file('a:' .. r.account, receipts[i])
    file('t:' .. r.ticket, receipts[i])
  end
  local wrong, index = {}, redis.call('HGETALL', KEYS[3])
  for i = 1, #index, 2 do
    local kind = string.sub(index[i], 1, 2)
    if kind == 'a:' or kind == 't:' then
      local have = {}
      for hold in string.gmatch(index[i + 1], '%S+') do have[#have + 1] = hold end
      local holds = want[index[i]] or {}
      table.sort(have)
      table.sort(holds)
      if table.concat(have, ' ') ~= table.concat(holds, ' ') then wrong[index[i]] = holds end
      want[index[i]] = nil
    end
  end
  for field, holds in pairs(want) do wrong[field] = holds end
  return wrong
end


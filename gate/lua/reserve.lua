-- reserve: receipt, stock and winner in one step.
-- ARGV: 1 reservation 2 account 3 ticket 4 key 5 digest 6 qty 7 per account
--       8 hold ms 9 most backlog
--       10 generation and 11 epoch of the ticket's binding, see may_use
local hold, account, ticket, key, digest = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local qty, per_account = tonumber(ARGV[6]), tonumber(ARGV[7])

if not open() then return {'closed'} end

local key_field = 'k:' .. account .. '\n' .. key
local index = redis.call('HMGET', KEYS[3], key_field, 'a:' .. account, 't:' .. ticket)

local had, as = string.match(index[1] or '', '^(%S+) (.*)$')
local receipt = had and redis.call('HGET', KEYS[2], had)
if receipt then -- else the key is of a hold that is no more
  if as ~= digest then return {'key_reused'} end
  return {'ok', had, plain(cjson.decode(receipt).pay_before), '1', left(gate.stock)}
end

-- One reservation at a time: the books have one live order an account.
local out = last_out(index[2]) or last_out(index[3])
if out then return {'already', reservation_of(out)} end

local no = may_use(account, ticket, ARGV[10], ARGV[11])
if no then return no end

if qty > per_account then return {'too_many'} end
if gate.stock < qty then return {'sold_out'} end
if redis.call('XLEN', KEYS[4]) >= tonumber(ARGV[9]) then return {'backlog'} end

-- XADD comes first: it is the write that a full Redis refuses.
local now = now_ms()
local pay_before = now + tonumber(ARGV[8])
local entry = redis.call('XADD', KEYS[4], '*', 'reservation', hold, 'account', account,
  'ticket', ticket, 'qty', ARGV[6], 'reserved', plain(now), 'hold', ARGV[8])
put_receipt(hold, {account = account, ticket = ticket, qty = qty, entry = entry,
  taken = now, key = key, pay_before = pay_before})
redis.call('HSET', KEYS[3], key_field, hold .. ' ' .. digest, 'l:' .. ticket, hold)
redis.call('HINCRBY', KEYS[1], 'stock', -qty)
count(1, 0)
moved()
return {'ok', hold, plain(pay_before), '0', left(gate.stock - qty)}

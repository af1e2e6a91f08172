-- retake: a hold for an order that exists, whose money came late.
-- ARGV: 1 hold 2 account 3 ticket 4 qty
--       5 generation and 6 epoch of the ticket's binding, see may_use
local hold, account, ticket = ARGV[1], ARGV[2], ARGV[3]
local qty = tonumber(ARGV[4])

if not open() then return {'closed'} end
if is_out(hold) then return {'ok'} end

local index = redis.call('HMGET', KEYS[3], 'a:' .. account, 't:' .. ticket)
local out = last_out(index[1]) or last_out(index[2])
if out then return {'already', reservation_of(out)} end
local no = may_use(account, ticket, ARGV[5], ARGV[6])
if no then return no end
if gate.stock < qty then return {'sold_out'} end

put_receipt(hold, {account = account, ticket = ticket, qty = qty, entry = '', taken = now_ms(), pay_before = 0})
redis.call('HINCRBY', KEYS[1], 'stock', -qty)
count(1, 0)
moved()
return {'ok'}

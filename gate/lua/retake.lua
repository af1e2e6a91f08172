-- retake: a hold for an order that exists, whose money came late.
-- ARGV: 1 hold 2 account 3 ticket 4 qty 5 seen epoch 6 seen moves 7 how many buckets
--       8 generation and 9 epoch of the ticket's binding, see may_use
local hold, account, ticket = ARGV[1], ARGV[2], ARGV[3]
local qty = tonumber(ARGV[4])

local gate = gate_since(ARGV[7], ARGV[5], ARGV[6])
if not gate then return {'closed'} end
if is_out(hold) then return {'ok'} end

local index = redis.call('HMGET', KEYS[3], 'a:' .. account, 't:' .. ticket)
local out = last_out(index[1]) or last_out(index[2])
if out then return {'already', reservation_of(out)} end
local no = may_use(gate, account, ticket, ARGV[8], ARGV[9])
if no then return no end
if gate.stock < qty then return {'sold_out'} end

put_receipt(hold, {account = account, ticket = ticket, qty = qty, entry = '', taken = now_ms(), pay_before = 0})
redis.call('HINCRBY', KEYS[1], 'stock', -qty)
moved()
return {'ok'}

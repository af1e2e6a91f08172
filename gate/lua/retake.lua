-- retake: a hold for an order that exists, whose money came late.
-- ARGV: 1 hold 2 account 3 ticket 4 qty 5 per account
local hold, account, ticket = ARGV[1], ARGV[2], ARGV[3]
local qty, per_account = tonumber(ARGV[4]), tonumber(ARGV[5])

local gate = gate_state()
if not gate then return {'closed'} end
if redis.call('HEXISTS', KEYS[2], hold) == 1 then return {'ok'} end

local have, last = units(redis.call('HGET', KEYS[3], 'a:' .. account))
if have + qty > per_account then return {'already', reservation_of(last)} end
if gate.stock < qty then return {'sold_out'} end

put_receipt(hold, {account = account, ticket = ticket, qty = qty, entry = '', taken = now_ms(), pay_before = 0})
redis.call('HINCRBY', KEYS[1], 'stock', -qty)
moved()
return {'ok'}

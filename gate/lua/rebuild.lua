-- rebuild: stock and receipts as the ledger has them, then open.
-- ARGV: 1 why it was closed 2 epoch 3 total 4 live orders as JSON 5 how many buckets
--       6 the sale's total 7 bindings of tickets that are at home here as JSON
--       8 whether other buckets that it had are known to be at rest
-- One of several buckets stays closed until all are rebuilt, see open.
-- Answers whether the gate is now what the ledger has, and how many buckets it had.
local f = redis.call('HMGET', KEYS[1], 'closed', 'epoch', 'buckets')
local had = f[3] or '1'
if f[2] == ARGV[2] and (not f[1] or f[1] == '') then return {'ok', '1', had} end -- the first run's reply was lost
if f[1] ~= ARGV[1] or redis.call('XLEN', KEYS[4]) > 0 then return {'ok', '0', had} end
if tonumber(had) > tonumber(ARGV[5]) and ARGV[8] ~= '1' then return {'ok', '0', had} end

redis.call('HLEN', KEYS[5]) -- before the first write: Redis undoes nothing
local last = {} -- a ticket's last reservation outlives its receipt
local index = redis.pcall('HGETALL', KEYS[3])
if index.err then index = {} end -- of another type, and about to go
for i = 1, #index, 2 do
  if string.sub(index[i], 1, 2) == 'l:' then last[#last + 1] = {index[i], index[i + 1]} end
end
redis.call('DEL', KEYS[2], KEYS[3])
for _, l in ipairs(last) do redis.call('HSET', KEYS[3], l[1], l[2]) end

local out, paid = 0, 0
for _, live in ipairs(cjson.decode(ARGV[4])) do
  restore_receipt(live)
  redis.call('HSET', KEYS[3], 'l:' .. live.ticket, live.reservation)
  local note = redis.call('HGET', KEYS[5], live.reservation)
  if not note or cjson.decode(note).version < live.version then -- told since the books were read
    redis.call('HSET', KEYS[5], live.reservation, cjson.encode({status = live.status,
      pay_before = live.pay_before, version = live.version, qty = live.qty}))
  end
  out = out + live.qty
  if live.status == 'paid' then paid = paid + live.qty end
end

for ticket, account in pairs(cjson.decode(ARGV[7])) do
  redis.call('HSET', KEYS[3], 'b:' .. ticket, '1 ' .. account)
end

redis.call('DEL', KEYS[1]) -- with the records of transfers
redis.call('HSET', KEYS[1], 'epoch', ARGV[2], 'moves', '0', 'total', ARGV[3],
  'stock', plain(tonumber(ARGV[3]) - out), 'paid', plain(paid))
if ARGV[5] ~= '1' then
  redis.call('HSET', KEYS[1], 'buckets', ARGV[5], 'sale', ARGV[6], 'closed', ARGV[1])
end
return {'ok', '1', had}

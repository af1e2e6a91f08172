-- mend: what the ledger knows and the gate has lost, or the reverse.
-- ARGV: 1 live orders without a receipt as JSON 2 orphaned holds as JSON
--       3 units paid; empty: as it is
--       4 seen epoch 5 seen moves 6 how many buckets
-- Answers receipts restored, units freed, units added to the stock otherwise, and
-- index entries set right.
local gate = gate_since(ARGV[6], ARGV[4], ARGV[5])
if not gate then return {'closed'} end

local restored, freed = 0, 0
for _, live in ipairs(cjson.decode(ARGV[1])) do
  if not is_out(live.hold) then
    restore_receipt(live)
    restored = restored + 1
  end
end

for _, hold in ipairs(cjson.decode(ARGV[2])) do
  local value = redis.call('HGET', KEYS[2], hold)
  if value and not entry_there(cjson.decode(value).entry) then
    freed = freed + drop_receipt(hold).qty
  end
end

local refiled = 0
for field, holds in pairs(misfiled()) do
  if #holds == 0 then
    redis.call('HDEL', KEYS[3], field)
  else
    redis.call('HSET', KEYS[3], field, table.concat(holds, ' '))
  end
  refiled = refiled + 1
end

-- Below zero when more is out than there is: were it cut off at zero, the next
-- unit to come back would be sold beyond the total.
local stock = gate.total - held_units()
local shifted = stock - gate.stock - freed
redis.call('HSET', KEYS[1], 'stock', plain(stock))
if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'paid', ARGV[3]) end
if stock > gate.stock then rose(gate) end
if restored > 0 or freed > 0 or shifted ~= 0 or refiled > 0 then moved() end
return {'ok', plain(restored), plain(freed), plain(shifted), plain(refiled)}

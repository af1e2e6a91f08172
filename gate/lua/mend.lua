-- mend: what the ledger knows and the gate has lost, or the reverse. Stock and
-- receipts together stay what they were; what they lack, shift sets right, as it does
-- what the receipts restored here make wrong in the counts.
-- ARGV: 1 live orders without a receipt as JSON 2 orphaned holds as JSON,
--       each with the entry it was seen with: one that was sent anew since has another
--       3 holds that the index does not name as JSON
-- Answers receipts restored and units of these, units freed, and receipts named.
if not open() then return {'closed'} end

local restored, taken, freed, removed, refiled = 0, 0, 0, 0, 0
for _, live in ipairs(cjson.decode(ARGV[1])) do
  if not is_out(live.hold) then
    restore(live)
    restored = restored + 1
    taken = taken + live.qty
  end
end

for _, orphan in ipairs(cjson.decode(ARGV[2])) do
  local hold, seen_entry = orphan[1], orphan[2]
  local value = redis.call('HGET', KEYS[2], hold)
  local entry = value and cjson.decode(value).entry or ''
  local arrives = entry ~= '' and #redis.call('XRANGE', KEYS[4], entry, entry) > 0
  if value and entry == seen_entry and not arrives then
    freed = freed + drop_receipt(hold).qty
    removed = removed + 1
  end
end

for _, hold in ipairs(cjson.decode(ARGV[3])) do
  local value = redis.call('HGET', KEYS[2], hold)
  if value then
    local r = cjson.decode(value)
    refile('a:' .. r.account, hold, true)
    refile('t:' .. r.ticket, hold, true)
    refiled = refiled + 1
  end
end

if freed ~= taken then redis.call('HINCRBY', KEYS[1], 'stock', plain(freed - taken)) end
if freed > taken then rose() end
if removed > 0 then count(0, removed) end
if restored + freed + refiled > 0 then moved() end
return {'ok', plain(restored), plain(taken), plain(freed), plain(refiled)}

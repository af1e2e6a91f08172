-- fill: some receipts and bindings of a rebuild, as the ledger has them.
-- ARGV: 1 why it was closed 2 live orders as JSON 3 bindings of tickets that are at
--       home here as JSON
-- Answers whether the rebuild is still under way.
if gate.built or gate.closed ~= ARGV[1] then return {'ok', '0'} end
for _, live in ipairs(cjson.decode(ARGV[2])) do
  restore(live)
end
for ticket, account in pairs(cjson.decode(ARGV[3])) do
  redis.call('HSET', KEYS[3], 'b:' .. ticket, '1 ' .. account)
end
return {'ok', '1'}

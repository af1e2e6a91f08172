-- build: the state of a gate whose receipts are all there again. It stays closed until
-- all buckets are built, see open.
-- ARGV: 1 why it was closed 2 epoch 3 total 4 units out 5 units paid 6 receipts
--       7 the sale's total
-- Answers whether the gate is now what the ledger has.
if gate.built and plain(gate.epoch) == ARGV[2] then return {'ok', '1'} end -- the first run's reply was lost
if gate.built or gate.closed ~= ARGV[1] or redis.call('HLEN', KEYS[2]) ~= tonumber(ARGV[6]) then return {'ok', '0'} end

redis.call('DEL', KEYS[1]) -- with the records of transfers
redis.call('HSET', KEYS[1], 'epoch', ARGV[2], 'moves', '0', 'total', ARGV[3],
  'stock', plain(tonumber(ARGV[3]) - tonumber(ARGV[4])), 'paid', ARGV[5],
  'buckets', plain(buckets), 'sale', ARGV[7], 'won', ARGV[6], 'lapsed', '0', 'closed', ARGV[1])
return {'ok', '1'}

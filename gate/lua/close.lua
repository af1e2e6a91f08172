-- close: sell nothing until a rebuild.
-- ARGV: 1 why 2 epoch of the gate that is meant, if it is open; empty: whatever is there
-- Answers in how many buckets it was built.
if ARGV[2] == '' or open() and plain(gate.epoch) == ARGV[2] then
  redis.call('HSET', KEYS[1], 'closed', ARGV[1])
  gate.closed = ARGV[1]
end
return {'ok', plain(gate.buckets)}

-- look: the state of a bucket in one reply. An open one of which something newer was
-- seen is closed: whoever saw it may be the only one who ever did.
-- ARGV: 1 how many buckets 2 seen epoch 3 seen moves, or none of both
if ARGV[2] then
  local f = redis.call('HMGET', KEYS[1], 'epoch', 'moves', 'closed')
  local epoch, moves = tonumber(f[1] or ''), tonumber(f[2] or '')
  local e, m = tonumber(ARGV[2]), tonumber(ARGV[3])
  local open = epoch and moves and (not f[3] or f[3] == '')
  if open and (epoch < e or (epoch == e and moves < m)) then older(ARGV[2]) end
end
return look(ARGV[1])

-- look: the state in one reply.
-- ARGV: 1 how many buckets
return look(ARGV[1])

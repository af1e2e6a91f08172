-- look: the state in one reply.
return look()

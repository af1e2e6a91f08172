-- look: the state in one reply; audit.lua begins the same way.
local f = redis.call('HMGET', KEYS[1], 'epoch', 'moves', 'total', 'stock', 'paid', 'closed', 'floor')
return {f[1] and 'ok' or 'missing', f[1] or '0', f[2] or '0', f[3] or '0', f[4] or '0', f[5] or '0',
  plain(redis.call('XLEN', KEYS[4])), f[6] or '', f[7] or '0'}

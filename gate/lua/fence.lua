-- fence: see that an account at home here has nothing out under a ticket, and never
-- will by a binding of an earlier generation.
-- ARGV: 1 ticket 2 lowest generation that may use it here 3 epoch of the binding
if not open() or gate.epoch ~= tonumber(ARGV[3]) then return {'closed'} end

local out = last_out(redis.call('HGET', KEYS[3], 't:' .. ARGV[1]))
if out then return {'already', reservation_of(out)} end
if tonumber(redis.call('HGET', KEYS[3], 'f:' .. ARGV[1]) or '0') < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[3], 'f:' .. ARGV[1], ARGV[2])
  moved()
end
return {'ok'}

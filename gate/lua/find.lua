-- find: what became of a reservation, or of the last one made with a ticket.
-- ARGV: 1 'reservation' or 'ticket' 2 its name
local reservation = ARGV[2]
if ARGV[1] == 'ticket' then
  reservation = redis.call('HGET', KEYS[3], 'l:' .. ARGV[2])
  if not reservation then return {'none'} end
end
local note = redis.call('HGET', KEYS[5], reservation)
if note then
  local n = cjson.decode(note)
  return {'ok', reservation, n.status, plain(n.pay_before), plain(n.version), plain(n.qty)}
end
local receipt = redis.call('HGET', KEYS[2], reservation)
if not receipt then return {'none'} end
local r = cjson.decode(receipt)
return {'ok', reservation, 'finishing', plain(r.pay_before), '0', plain(r.qty)}

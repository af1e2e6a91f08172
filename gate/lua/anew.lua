-- anew: append winners again whose entry is gone. A receipt has all that an order
-- needs, and whose order is there after all is recognised by its reservation.
-- ARGV: holds
-- Answers of each: 'as_it_was', where there is nothing to do; 'anew'; or 'over',
-- when its time to pay has run out.
local now, answer, sent = now_ms(), {'ok'}, 0
for _, hold in ipairs(ARGV) do
  local value = redis.call('HGET', KEYS[2], hold)
  local r = value and cjson.decode(value)
  local did = 'as_it_was'
  if r and r.entry ~= '' and #redis.call('XRANGE', KEYS[4], r.entry, r.entry) == 0 then
    did = 'over'
    if r.pay_before > now then
      did = 'anew'
      r.entry = redis.call('XADD', KEYS[4], '*', 'reservation', hold, 'account', r.account,
        'ticket', r.ticket, 'qty', plain(r.qty), 'reserved', plain(r.taken), 'hold', plain(r.pay_before - now))
      redis.call('HSET', KEYS[2], hold, cjson.encode(r))
      sent = sent + 1
    end
  end
  answer[#answer + 1] = did
end
if sent > 0 then moved() end
return answer

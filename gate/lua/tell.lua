-- tell: leave notes about reservations, each unless one as new is there: also at a
-- closed gate.
-- ARGV: 1 whether paid units are counted, then of each note:
--       reservation, status, pay before ms, version, qty
-- Answers how many were left.
local written, paid = 0, 0
for i = 2, #ARGV, 5 do
  local status, qty = ARGV[i + 1], tonumber(ARGV[i + 4])
  local old, wrote = renew(ARGV[i], {status = status, pay_before = tonumber(ARGV[i + 2]),
    version = tonumber(ARGV[i + 3]), qty = qty})
  if wrote then
    written = written + 1
    if status == 'paid' then paid = paid + qty end
    if old and old.status == 'paid' then paid = paid - old.qty end
  end
end
-- paid counts the units that can never come back.
if ARGV[1] == '1' and paid ~= 0 and gate.built then redis.call('HINCRBY', KEYS[1], 'paid', paid) end
if written > 0 then moved() end
return {'ok', plain(written)}

-- bind: let one account use a ticket that is at home here, whose own home is another
-- bucket.
-- ARGV: 1 ticket 2 account 3 lowest generation wanted 4 account that it may be taken
--       over from; empty: nobody
-- Answers generation and epoch of the binding, or whose it is.
local ticket, account = ARGV[1], ARGV[2]
if not open() then return {'closed'} end

local out = last_out(redis.call('HGET', KEYS[3], 't:' .. ticket))
if out then return {'already', reservation_of(out)} end -- of an account that is at home here

local had, generation = bound(ticket)
local want = math.max(1, generation, tonumber(ARGV[3]))
if had and had ~= account and (had ~= ARGV[4] or want == generation) then
  return {'bound', had, plain(generation), plain(gate.epoch)}
end
if had ~= account or want ~= generation then
  redis.call('HSET', KEYS[3], 'b:' .. ticket, plain(want) .. ' ' .. account)
  moved()
end
return {'ok', plain(want), plain(gate.epoch)}

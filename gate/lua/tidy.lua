-- tidy: forget consumers that are gone and have nothing in hand.
-- ARGV: 1 group 2 a consumer that stays 3 since how many ms it must not have asked
-- Answers how many.
local consumers = redis.pcall('XINFO', 'CONSUMERS', KEYS[4], ARGV[1])
if consumers.err then return {'ok', '0'} end -- no stream or no group
local gone = 0
for _, fields in ipairs(consumers) do
  local c = {}
  for i = 1, #fields, 2 do c[fields[i]] = fields[i + 1] end
  if c.name ~= ARGV[2] and tonumber(c.pending) == 0 and tonumber(c.idle) >= tonumber(ARGV[3]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[4], ARGV[1], c.name)
    gone = gone + 1
  end
end
return {'ok', plain(gone)}

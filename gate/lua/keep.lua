-- keep: let the gate live until an instant, unless that is past.
-- ARGV: 1 until ms
if tonumber(ARGV[1]) > now_ms() then
  for _, key in ipairs(KEYS) do redis.call('PEXPIREAT', key, ARGV[1]) end
end
return {'ok'}

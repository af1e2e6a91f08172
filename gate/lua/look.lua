-- look: the state of a bucket in one reply.
local f = redis.call('HMGET', KEYS[1], 'epoch', 'moves', 'total', 'stock', 'paid', 'closed', 'floor', 'buckets', 'sale', 'rises')

-- transfers are the last ones that were given to each bucket, or taken from it:
-- bucket, number and units of each.
local function transfers(field)
  local names, list = {}, {}
  for i = 0, tonumber(buckets) - 1 do names[i + 1] = field .. i end
  for i, last in ipairs(redis.call('HMGET', KEYS[1], unpack(names))) do
    if last then list[#list + 1] = (i - 1) .. ' ' .. last end
  end
  return table.concat(list, ' ')
end

return {'ok', f[1] and '1' or '0', f[1] or '0', f[2] or '0', f[3] or '0', f[4] or '0', f[5] or '0',
  plain(redis.call('XLEN', KEYS[4])), f[6] or '', f[7] or '0', f[8] or '1', f[9] or f[3] or '0', f[10] or '0',
  buckets ~= '1' and transfers('gave:') or '', buckets ~= '1' and transfers('took:') or ''}

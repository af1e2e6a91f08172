-- look: the state of a bucket in one reply.

-- transfers are the last ones that were given to each bucket, or taken from it:
-- bucket, number and units of each.
local function transfers(field)
  local names, list = {}, {}
  for i = 0, buckets - 1 do names[i + 1] = field .. i end
  for i, record in ipairs(redis.call('HMGET', KEYS[1], unpack(names))) do
    local number, units = read_transfer(names[i], record)
    if number > 0 then list[#list + 1] = (i - 1) .. ' ' .. plain(number) .. ' ' .. plain(units) end
  end
  return table.concat(list, ' ')
end

local gave, took = transfers('gave:'), transfers('took:')
return {'ok', gate.built and '1' or '0', plain(gate.epoch), plain(gate.moves), plain(gate.total), plain(gate.stock),
  plain(gate.paid), plain(redis.call('XLEN', KEYS[4])), gate.closed or '', plain(gate.floor), plain(gate.buckets),
  plain(gate.sale), plain(gate.rises), plain(gate.won), plain(gate.lapsed), gave, took}

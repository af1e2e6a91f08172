-- How proofs are used up, after lua/line.lua. Of each the ID is kept in the set of
-- its generation: those that end within the same MaxProof. Whatever is good now is of
-- this generation or the next one.
--
-- KEYS[6..7] the sets, generations alternate between them
-- PROOF      MaxProof in microseconds, written before this by the program

local function used(gen) return KEYS[6 + gen % 2] end

-- age begins the generation of now, and forgets those before it: they have ended. A
-- clock that is put back a little changes nothing, one that is put far back begins
-- anew.
local function age()
  local gen, last = math.floor(now / PROOF), line.proofs or 0
  if gen == last or gen == last - 1 then
    return
  end
  for over = math.max(last, gen - 2), gen - 1 do
    redis.call('UNLINK', used(over))
  end
  set('proofs', gen)
end

-- spend uses a proof up, and reports whether it could. There may be none to use.
local function spend(proof)
  if proof == '' then
    return true
  end
  age()
  local ends, id = string.match(proof, '^(%d+):(.+)$')
  ends = tonumber(ends)
  if ends <= now or ends > now + PROOF then
    return false
  end
  return redis.call('SADD', used(math.floor(ends / PROOF)), id) == 1
end

function hooks.forget()
  if line.proofs then
    age()
  end
end

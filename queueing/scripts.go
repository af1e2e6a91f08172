package queueing

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed lua/line.lua
	luaLine string
	//go:embed lua/proofs.lua
	luaProofs string
	//go:embed lua/enter.lua
	luaEnter string
	//go:embed lua/tick.lua
	luaTick string
	//go:embed lua/claim.lua
	luaClaim string
	//go:embed lua/units.lua
	luaUnits string
	//go:embed lua/unitclaim.lua
	luaUnitClaim string
	//go:embed lua/act.lua
	luaAct string
	//go:embed lua/mix.lua
	luaMix string
	//go:embed lua/room.lua
	luaRoom string
	//go:embed lua/arrive.lua
	luaArrive string
	//go:embed lua/roomclaim.lua
	luaRoomClaim string
)

var (
	proofs = fmt.Sprintf("local PROOF = %d\n", MaxProof.Microseconds()) + luaProofs

	scriptEnter = redis.NewScript(luaLine + proofs + luaEnter)
	scriptTick  = redis.NewScript(luaLine + proofs + luaTick)
	scriptClaim = redis.NewScript(luaLine + luaClaim)
	scriptAct   = redis.NewScript(luaLine + luaAct)
	scriptMix   = redis.NewScript(luaLine + luaMix)

	scriptUnitTick  = redis.NewScript(luaLine + proofs + luaUnits + luaTick)
	scriptUnitClaim = redis.NewScript(luaLine + luaUnits + luaUnitClaim)

	scriptArrive    = redis.NewScript(luaLine + luaRoom + luaArrive)
	scriptRoomTick  = redis.NewScript(luaLine + luaRoom + luaTick)
	scriptRoomClaim = redis.NewScript(luaLine + luaRoom + luaRoomClaim)
)

// Load puts the scripts into Redis, so that nothing starts cold.
func Load(ctx context.Context, rdb redis.UniversalClient) error {
	for _, s := range []*redis.Script{
		scriptEnter, scriptTick, scriptClaim, scriptAct, scriptMix,
		scriptUnitTick, scriptUnitClaim,
		scriptArrive, scriptRoomTick, scriptRoomClaim,
	} {
		if err := s.Load(ctx, rdb).Err(); err != nil {
			return fmt.Errorf("load line scripts: %w", err)
		}
	}
	return nil
}

// lineKeys are all keys of a sale's line, on one hash slot.
func lineKeys(sale string) []string {
	tag := "wr:{line:" + sale + "}"
	return []string{
		tag, tag + ":claimed:0", tag + ":claimed:1", tag + ":invited:0", tag + ":invited:1",
		tag + ":proofs:0", tag + ":proofs:1", tag + ":passes",
	}
}

// roomKeys are all keys of a room's line, on one hash slot.
func roomKeys(room string) []string {
	tag := "wr:{line:" + room + "}"
	return []string{tag, tag + ":seats", tag + ":left", tag + ":brought"}
}

package ledger

import (
	"context"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

const (
	// gateLife is how long a gate can be looked at beyond its sale, as its line
	// can, and beyond the last worker that kept it: under one it never ends.
	gateLife     = 30 * 24 * time.Hour
	outliveEvery = time.Minute
)

// outlive renews the lifetime of the gate's keys.
func (k *keeper) outlive(ctx context.Context, g *gate.Gate, sale *configs.Sale) error {
	now := time.Now()
	if now.Sub(k.spared) < outliveEvery {
		return nil
	}
	k.spared = now
	last := sale.Closes
	if now.After(last) {
		last = now
	}
	return g.Keep(ctx, last.Add(gateLife))
}

package gate

import (
	"context"
	"fmt"
)

// Release gives the units of an account's hold back. It reports whether there was a
// receipt to remove: its removal is the give-back, so a second call, and a call
// for a hold that never was, changes nothing. An empty account looks for it in
// every bucket. ErrClosed means that the gate cannot tell now; ask again later.
func (g *Gate) Release(ctx context.Context, account, hold string) (bool, error) {
	return g.release(ctx, "release", account, hold, "give")
}

// Drop removes the receipt of a hold that the ledger refused: the gate had
// leaked, there is no unit to give back, and none is.
func (g *Gate) Drop(ctx context.Context, account, hold string) (bool, error) {
	return g.release(ctx, "drop", account, hold, "drop")
}

func (g *Gate) release(ctx context.Context, action, account, hold, mode string) (removed bool, err error) {
	answers, err := g.each(ctx, g.homes(account), scriptRelease, hold, mode)
	var closed error
	for _, r := range answers {
		var here bool
		if no := r.ok(&here); no != nil {
			closed = no
		}
		removed = removed || here
	}
	if err == nil && !removed {
		err = closed // the bucket that could not tell may be the one
	}
	if err != nil {
		return false, fmt.Errorf("%s %s: %w", action, hold, err)
	}
	return removed, nil
}

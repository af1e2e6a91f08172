package gate

import (
	"context"
	"fmt"
)

// SetTotal changes how many units the sale has and adds or takes exactly the
// difference, however often it is repeated. Units that are out are never taken
// back: what cannot be taken is left, and the total that came of it is returned.
// It fails with ErrClosed, or with ErrBusy when it was outrun; then repeat it.
func (g *Gate) SetTotal(ctx context.Context, total int) (int, error) {
	for range len(g.buckets) + takeTries {
		got, err := g.setTotal(ctx, total)
		done := err == nil && (got <= total || len(g.buckets) == 1)
		if err == nil && !done {
			done, err = g.bringBack(ctx, got-total)
		}
		if err != nil {
			return 0, fmt.Errorf("set total: %w", err)
		}
		if done {
			return got, nil
		}
	}
	return 0, fmt.Errorf("set total: %w", ErrBusy)
}

// setTotal adds or takes what the first bucket can.
func (g *Gate) setTotal(ctx context.Context, total int) (got int, err error) {
	r, err := g.callAgain(ctx, 0, scriptTotal, total)
	if err == nil {
		err = r.ok(&got)
	}
	return got, err
}

// bringBack brings the first bucket what others have of so many units. It reports
// true when they have nothing.
func (g *Gate) bringBack(ctx context.Context, units int) (none bool, err error) {
	now, err := g.gather(ctx)
	if err == nil && !now.snap.Open() {
		err = ErrClosed
	}
	if err != nil {
		return false, err
	}
	if !now.offers(1) {
		none, _, err = g.confirm(ctx, now)
		return none, err
	}
	return false, g.bring(ctx, now, 0, min(units, now.snap.Offered()))
}

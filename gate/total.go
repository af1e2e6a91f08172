package gate

import (
	"context"
	"fmt"
)

// SetTotal changes how many units the sale has and adds or takes exactly the
// difference. Units that are out are never taken back: what cannot be taken is
// left, and the total that came of it is returned. It fails with ErrClosed.
func (g *Gate) SetTotal(ctx context.Context, total int) (int, error) {
	var got int
	r, err := g.callAgain(ctx, 0, scriptTotal, total)
	if err == nil {
		err = r.ok(&got)
	}
	if err != nil {
		return 0, fmt.Errorf("set total: %w", err)
	}
	return got, nil
}

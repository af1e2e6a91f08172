package gate

import (
	"context"
	"fmt"
	"time"
)

// Keep lets the gate's keys live until an instant, so that a sale that is over is
// forgotten at last. Keys that come later live on: call it from time to time. An
// instant that is past changes nothing.
func (g *Gate) Keep(ctx context.Context, until time.Time) error {
	answers, err := g.each(ctx, g.all(), scriptKeep, until.UnixMilli())
	for _, r := range answers {
		if err == nil {
			err = r.ok()
		}
	}
	if err != nil {
		return fmt.Errorf("keep gate: %w", err)
	}
	return nil
}

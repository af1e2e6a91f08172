package gate

import (
	"context"
	"time"
)

const (
	// goneAfter is how long a consumer must not have asked for anything before it
	// counts as one that will not come back under its name.
	goneAfter = 24 * time.Hour
	tidyEvery = time.Hour
)

// tidy lets the group forget consumers that are gone. One that has an entry in
// hand stays: whoever takes the entry over leaves it empty, and a later look finds
// it so. Looking and forgetting are one step, for a consumer takes what it has in
// hand with it. Nothing hangs on it, so it is not asked for twice.
func (r *Reader) tidy(ctx context.Context) {
	now := time.Now()
	if now.Sub(r.tidied) < tidyEvery {
		return
	}
	r.tidied = now
	_ = r.Forget(ctx, goneAfter)
}

// Forget lets the group forget the consumers, but for this one, that have nothing
// in hand and have asked for nothing since so long. One that is not gone after all
// is known again as soon as it asks.
func (r *Reader) Forget(ctx context.Context, idle time.Duration) error {
	_, err := r.gate.callAgain(ctx, r.bucket, scriptTidy, group, r.consumer, idle.Milliseconds())
	return err
}

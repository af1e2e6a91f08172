package ledger

import (
	"context"
	"errors"
	"sync"
)

// bite is how many winners are written in one transaction at most, since the database
// does not manage more in time: under a statement_timeout, or on its worst day. It is
// halved with each that was too much and grows by a tenth with each that went well. The
// zero value allows all.
type bite struct {
	mu   sync.Mutex
	most int // zero: any number
}

// allows reports whether n winners may be tried at once; one always may.
func (b *bite) allows(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.most == 0 || n <= b.most
}

// took learns from a transaction of n winners.
func (b *bite) took(n int, slow, well bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case slow:
		b.most = (n + 1) / 2
	case well && b.most > 0 && n > b.most/2:
		if b.most += b.most/10 + 1; b.most >= largestBatch {
			b.most = 0
		}
	}
}

// slow reports whether a transaction under ctx took longer than the database allows,
// or than inTx does.
func (b *Books) slow(ctx context.Context, err error) bool {
	return b.dialect.blame(err) == tooMuch ||
		errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
}

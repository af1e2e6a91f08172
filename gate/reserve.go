package gate

import (
	"context"
	"fmt"
	"time"
)

// Request asks for units. All fields are required.
type Request struct {
	Reservation string // fresh for each request; a UUID
	Account     string // who buys
	Ticket      string // the ticket that was admitted
	Key         string // idempotency key, scoped to Account
	Digest      string // of what was asked; the same key with another digest is refused
	Qty         int    // 1 … PerAccount
	PerAccount  int    // most units of one reservation; an account, and a ticket, has one at a time
	Hold        time.Duration
	MaxBacklog  int // winners on their way at which nothing more is sold
}

// Hold is so many units for one buyer until an instant.
type Hold struct {
	Reservation string
	PayBefore   time.Time // Redis time
	Again       bool      // an earlier request with this key took it
	Left        int       // units left behind it; -1 when other buckets may have some
	Mark        Mark
}

// Reserve takes units and appends the winner to the stream, in one step. The
// same key and digest always get the same hold. It fails with ErrClosed,
// ErrBacklog, ErrSoldOut, ErrBusy, ErrKeyReused, ErrTooMany or an
// *AlreadyBoughtError, and then nothing was taken; with any other error the
// outcome is unknown, and asking again with the same Request is the way to learn
// it.
//
// Hold.Mark is set beside a refusal too, all but ErrClosed: it is the state
// that refused.
func (g *Gate) Reserve(ctx context.Context, r Request) (Hold, error) {
	if r.Qty < 1 { // a script would add what is below
		return Hold{}, fmt.Errorf("reserve: %d units, want 1 or more", r.Qty)
	}
	answer, mark, err := g.take(ctx, taking{
		script: scriptReserve, account: r.Account, ticket: r.Ticket, qty: r.Qty,
		args: []any{r.Reservation, r.Account, r.Ticket, r.Key, r.Digest, r.Qty, r.PerAccount,
			r.Hold.Milliseconds(), r.MaxBacklog},
	})
	if err != nil {
		return Hold{Mark: mark}, fmt.Errorf("reserve: %w", err)
	}
	mark = answer.mark
	if len(g.buckets) > 1 && mark != (Mark{}) {
		mark = g.whole()
	}
	h := Hold{Mark: mark}
	if err := answer.ok(&h.Reservation, &h.PayBefore, &h.Again, &h.Left); err != nil {
		return Hold{Mark: mark}, fmt.Errorf("reserve: %w", err)
	}
	if len(g.buckets) > 1 && h.Left == 0 {
		h.Left = -1
	}
	return h, nil
}

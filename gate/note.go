package gate

import (
	"context"
	"fmt"
	"time"
)

// Status is what became of a reservation, as shoppers are told it.
type Status string

// What can become of a reservation. Finishing means that the winner is on its
// way to the ledger.
const (
	Finishing Status = "finishing"
	Held      Status = "held"
	Paid      Status = "paid"
	Expired   Status = "expired"
	Cancelled Status = "cancelled"
	Refused   Status = "refused"
	RefundDue Status = "refund_due"
)

// Note is what the ledger tells shoppers about a reservation, through the gate.
type Note struct {
	Reservation string
	Account     string // whose it is; empty in what is found
	Status      Status
	PayBefore   time.Time // zero unless held
	Version     int       // grows with each move of the order; an older note never replaces a newer
	Qty         int
}

// Tell leaves a note for the shopper and counts paid units. A note that is not
// newer than the one there changes nothing.
func (g *Gate) Tell(ctx context.Context, n Note) error {
	var left int
	r, err := g.callAgain(ctx, g.home(n.Account), scriptTell, append([]any{true}, n.wire()...)...)
	if err == nil {
		err = r.ok(&left)
	}
	if err != nil {
		return fmt.Errorf("tell %s: %w", n.Reservation, err)
	}
	return nil
}

// retold is how many notes one script compares.
const retold = 100

// Retell leaves those notes that the gate has not, or has older, though it was told
// them: Redis can forget a note alone. It returns how many these were. Paid units
// are not counted, since they were before; what is forgotten of their number, the next
// Mend finds.
func (g *Gate) Retell(ctx context.Context, notes []Note) (lost int, err error) {
	at := make([][]Note, len(g.buckets))
	for _, n := range notes {
		home := g.home(n.Account)
		at[home] = append(at[home], n)
	}
	for asks := range pages(at, retold, func(page []Note) []any {
		args := []any{false}
		for _, n := range page {
			args = append(args, n.wire()...)
		}
		return args
	}) {
		answers, err := g.askAll(ctx, scriptTell, asks)
		for _, r := range answers {
			var left int
			if err == nil {
				err = r.ok(&left)
			}
			lost += left
		}
		if err != nil {
			return lost, fmt.Errorf("tell again: %w", err)
		}
	}
	return lost, nil
}

// wire is a note as lua/tell.lua reads it.
func (n Note) wire() []any {
	return []any{n.Reservation, string(n.Status), millis(n.PayBefore), n.Version, n.Qty}
}

// Find tells what became of an account's reservation. ok is false when the gate
// knows nothing of it. An empty account asks every bucket, at once: for a caller
// who cannot know whose it is.
func (g *Gate) Find(ctx context.Context, account, reservation string) (n Note, ok bool, err error) {
	return g.find(ctx, account, "reservation", reservation)
}

// FindByTicket tells what became of the last reservation that an account made
// with a ticket; of any account, when it is empty.
func (g *Gate) FindByTicket(ctx context.Context, account, ticket string) (n Note, ok bool, err error) {
	return g.find(ctx, account, "ticket", ticket)
}

func (g *Gate) find(ctx context.Context, account, by, name string) (n Note, ok bool, err error) {
	answers, err := g.each(ctx, g.homes(account), scriptFind, by, name)
	if err != nil {
		return Note{}, false, fmt.Errorf("find %s %s: %w", by, name, err)
	}
	for _, r := range answers {
		if r.scan("none") == nil {
			continue
		}
		if err := r.ok(&n.Reservation, (*string)(&n.Status), &n.PayBefore, &n.Version, &n.Qty); err != nil {
			return Note{}, false, fmt.Errorf("find %s %s: %w", by, name, err)
		}
		return n, true, nil
	}
	return Note{}, false, nil
}

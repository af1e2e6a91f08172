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
	Status      Status
	PayBefore   time.Time // zero unless held
	Version     int       // grows with each move of the order; an older note never replaces a newer
	Qty         int
}

// Tell leaves a note for the shopper and counts paid units. A note that is not
// newer than the one there changes nothing.
func (g *Gate) Tell(ctx context.Context, n Note) error {
	r, err := g.callAgain(ctx, scriptTell,
		n.Reservation, string(n.Status), millis(n.PayBefore), n.Version, n.Qty)
	if err == nil {
		err = r.ok()
	}
	if err != nil {
		return fmt.Errorf("tell %s: %w", n.Reservation, err)
	}
	return nil
}

// Find tells what became of a reservation. ok is false when the gate knows
// nothing of it.
func (g *Gate) Find(ctx context.Context, reservation string) (n Note, ok bool, err error) {
	return g.find(ctx, "reservation", reservation)
}

// FindByTicket tells what became of the last reservation made with a ticket.
func (g *Gate) FindByTicket(ctx context.Context, ticket string) (n Note, ok bool, err error) {
	return g.find(ctx, "ticket", ticket)
}

func (g *Gate) find(ctx context.Context, by, name string) (n Note, ok bool, err error) {
	r, err := g.callAgain(ctx, scriptFind, by, name)
	if err != nil {
		return Note{}, false, fmt.Errorf("find %s %s: %w", by, name, err)
	}
	if r.scan("none") == nil {
		return Note{}, false, nil
	}
	if err := r.ok(&n.Reservation, (*string)(&n.Status), &n.PayBefore, &n.Version, &n.Qty); err != nil {
		return Note{}, false, fmt.Errorf("find %s %s: %w", by, name, err)
	}
	return n, true, nil
}

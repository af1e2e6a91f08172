package gate

import (
	"context"
	"fmt"
	"time"
)

// Snapshot is one look at a gate.
type Snapshot struct {
	Mark    Mark
	Total   int
	Left    int    // units that can be taken now
	Paid    int    // units whose order is paid, as far as the ledger has told
	Backlog int    // winners in the stream, not yet in the ledger
	Missing bool   // there is no gate: never built, or forgotten
	Closed  string // why it sells nothing; empty when it sells
	Floor   uint64 // a rebuild must choose an epoch above this one
}

// Open reports whether the gate sells.
func (s Snapshot) Open() bool { return !s.Missing && s.Closed == "" }

// Final reports whether no unit can ever come back: all are paid.
func (s Snapshot) Final() bool { return s.Open() && s.Left == 0 && s.Paid >= s.Total }

// Look reads the gate's state: one call, no list.
func (g *Gate) Look(ctx context.Context) (Snapshot, error) {
	reply, err := runTwice(ctx, g.rdb, lookScript, g.keys.all())
	if err != nil {
		return Snapshot{}, fmt.Errorf("look at gate: %w", err)
	}
	return snapshotOf(reply), nil
}

func snapshotOf(r reply) Snapshot {
	return Snapshot{
		Mark:    Mark{Epoch: r.count(1), Moves: r.count(2)},
		Total:   int(r.count(3)),
		Left:    int(r.count(4)),
		Paid:    int(r.count(5)),
		Backlog: int(r.count(6)),
		Missing: r.text(0) == "missing",
		Closed:  r.text(7),
		Floor:   r.count(8),
	}
}

// Receipt proves that units are out: the gate keeps one for each hold.
type Receipt struct {
	Hold    string // see HoldID
	Account string
	Ticket  string
	Qty     int
	Entry   string    // the winner's stream entry; empty for a hold taken again
	Taken   time.Time // Redis time
}

// HoldID names the nth hold of a reservation, n from 1. The first is named like
// the reservation; a hold taken again after an expiry has a name of its own, so
// that a late give-back of the first can never touch it.
func HoldID(reservation string, n int) string {
	if n <= 1 {
		return reservation
	}
	return fmt.Sprintf("%s/%d", reservation, n)
}

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
	_, err := runTwice(ctx, g.rdb, tellScript, g.keys.all(),
		n.Reservation, string(n.Status), millis(n.PayBefore), n.Version, n.Qty)
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

func (g *Gate) find(ctx context.Context, by, name string) (Note, bool, error) {
	reply, err := runTwice(ctx, g.rdb, findScript, g.keys.all(), by, name)
	if err != nil {
		return Note{}, false, fmt.Errorf("find %s %s: %w", by, name, err)
	}
	if reply.text(0) != "ok" {
		return Note{}, false, nil
	}
	return Note{
		Reservation: reply.text(1),
		Status:      Status(reply.text(2)),
		PayBefore:   reply.instant(3),
		Version:     int(reply.count(4)),
		Qty:         int(reply.count(5)),
	}, true, nil
}

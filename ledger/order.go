package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/waitroom/waitroom/gate"
)

// errNoUnit says that the books have no unit left for a move.
var errNoUnit = errors.New("no unit left in the books")

// order is one row of sale_orders.
type order struct {
	ID        string
	Sale      string // configs.Sale.Key
	Account   string
	Ticket    string
	Qty       int
	Status    Status
	Created   time.Time
	PayBefore time.Time
	Payment   string    // that paid it
	Released  time.Time // when its units were given back; zero while they are not
	Holds     int       // how often the gate gave it units; names its newest hold
	RefundDue bool
	Version   int
}

const orderColumns = `reservation_id, sale, account, ticket, qty, status, created_at, pay_before,
	COALESCE(payment_id, ''), released_at, holds, refund_due, version`

func scanOrder(scan func(...any) error) (order, error) {
	var o order
	var created, payBefore, released instant
	err := scan(&o.ID, &o.Sale, &o.Account, &o.Ticket, &o.Qty, &o.Status, &created, &payBefore,
		&o.Payment, &released, &o.Holds, &o.RefundDue, &o.Version)
	o.Created, o.PayBefore, o.Released = created.Time, payBefore.Time, released.Time
	return o, err
}

// hold is the name of the order's newest hold at the gate.
func (o order) hold() string { return gate.HoldID(o.ID, o.Holds) }

// receipt is what the gate should have for it while it is live.
func (o order) receipt() gate.Receipt {
	return gate.Receipt{Hold: o.hold(), Account: o.Account, Ticket: o.Ticket, Qty: o.Qty, Taken: o.Created}
}

// note is what its shopper is told.
func (o order) note() gate.Note {
	n := gate.Note{Reservation: o.ID, Version: o.Version, Qty: o.Qty}
	switch {
	case o.Status == Pending:
		n.Status, n.PayBefore = gate.Held, o.PayBefore
	case o.Status == Paid:
		n.Status = gate.Paid
	case o.RefundDue:
		n.Status = gate.RefundDue
	case o.Status == Expired:
		n.Status = gate.Expired
	default:
		n.Status = gate.Cancelled
	}
	return n
}

// order reads one order; ok is false when there is none.
func (c conn) order(ctx context.Context, reservation string) (o order, ok bool, err error) {
	return c.oneOrder(ctx, `SELECT `+orderColumns+` FROM sale_orders WHERE reservation_id = $1`, reservation)
}

// lockOrder reads one order and keeps others from moving it until the
// transaction ends.
func (c conn) lockOrder(ctx context.Context, reservation string) (o order, ok bool, err error) {
	return c.oneOrder(ctx, `SELECT `+orderColumns+` FROM sale_orders WHERE reservation_id = $1 {lock}`, reservation)
}

func (c conn) oneOrder(ctx context.Context, text, reservation string) (order, bool, error) {
	o, err := scanOrder(c.row(ctx, text, reservation).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return order{}, false, nil
	}
	if err != nil {
		return order{}, false, fmt.Errorf("read order %s: %w", reservation, err)
	}
	return o, true, nil
}

// move takes a locked order to where the cause leads, with its units and its
// journal row. It fails with errNoUnit when the stock does not allow it.
func (c conn) move(ctx context.Context, o *order, why cause, p payment) error {
	to, ok := o.Status.after(why)
	if !ok {
		return fmt.Errorf("move order %s: %s does not lead on from %s", o.ID, why, o.Status)
	}
	units := share(o.Status, to) * o.Qty
	if why == reheld {
		o.Holds++
		o.Released = time.Time{}
	}
	if p.ID != "" {
		o.Payment = p.ID
	}
	o.Status, o.Version = to, o.Version+1

	// Always in this order: order, journal, stock. The stock row is what all
	// share, so it is locked last and for the shortest time.
	_, err := c.exec(ctx, `UPDATE sale_orders SET status = $2, version = $3, holds = $4, payment_id = $5,
		released_at = CASE WHEN $6 THEN NULL ELSE released_at END WHERE reservation_id = $1`,
		o.ID, string(o.Status), o.Version, o.Holds, nullable(o.Payment), why == reheld)
	if err != nil {
		return fmt.Errorf("move order %s: %w", o.ID, err)
	}
	if err := c.write(ctx, entry{Sale: o.Sale, Reservation: o.ID, Cause: string(why), Units: units, Payment: p}); err != nil {
		return err
	}
	return c.take(ctx, o.Sale, units)
}

// take adds units (negative: gives them back) to what is sold.
func (c conn) take(ctx context.Context, sale string, units int) error {
	if units == 0 {
		return nil
	}
	n, err := c.exec(ctx, `UPDATE sale_stock SET sold = sold + $2 WHERE sale = $1 AND sold + $2 <= total`, sale, units)
	if err != nil {
		return fmt.Errorf("take %d of %s: %w", units, sale, err)
	}
	if n == 0 {
		return errNoUnit
	}
	return nil
}

// entry is one row of the journal.
type entry struct {
	Sale        string
	Reservation string // empty for the sale's own stock
	Cause       string
	Units       int // added to sold
	Stock       int // added to total
	Payment     payment
}

func (c conn) write(ctx context.Context, e entry) error {
	_, err := c.exec(ctx, `INSERT INTO journal (sale, reservation_id, cause, units, stock, payment_id, amount, currency)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		e.Sale, nullable(e.Reservation), e.Cause, e.Units, e.Stock,
		nullable(e.Payment.ID), nullable(e.Payment.Amount), nullable(e.Payment.Currency))
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	return nil
}

func nullable(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// plainAmount drops the zeros that a database adds to a decimal.
func plainAmount(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

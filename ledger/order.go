package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

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
	Price     configs.Money // of one unit; none when it is not known
}

const orderColumns = `reservation_id, sale, account, ticket, qty, status, created_at, pay_before,
	COALESCE(payment_id, ''), released_at, holds, refund_due, version,
	COALESCE(CAST(price AS text), ''), COALESCE(currency, '')`

func scanOrder(scan func(...any) error) (order, error) {
	var o order
	var created, payBefore, released instant
	var amount, currency string
	err := scan(&o.ID, &o.Sale, &o.Account, &o.Ticket, &o.Qty, &o.Status, &created, &payBefore,
		&o.Payment, &released, &o.Holds, &o.RefundDue, &o.Version, &amount, &currency)
	o.Created, o.PayBefore, o.Released = created.Time, payBefore.Time, released.Time
	if err == nil {
		o.Price, err = scanPrice(amount, currency)
	}
	return o, err
}

// hold is the name of the order's newest hold at the gate.
func (o order) hold() string { return gate.HoldID(o.ID, o.Holds) }

// hasLeft reports whether the units that a winner brings were the order's and are not any
// more: a buy that was sent twice, of which one was under way until the order had ended
// and the gate knew nothing of it, takes them anew.
func (o order) hasLeft(x gate.Winner) bool {
	return o.hold() != x.Reservation || o.Status == Expired || o.Status == Cancelled
}

// receipt is what the gate should have for it while it is live.
func (o order) receipt() gate.Receipt {
	return gate.Receipt{Hold: o.hold(), Account: o.Account, Ticket: o.Ticket, Qty: o.Qty, Taken: o.Created}
}

// note is what its shopper is told.
func (o order) note() gate.Note {
	n := gate.Note{Reservation: o.ID, Account: o.Account, Version: o.Version, Qty: o.Qty}
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

func nullable(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// plainAmount drops the zeros that a database adds to a decimal.
func plainAmount(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

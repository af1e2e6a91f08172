package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

// lateTries is how often an order may move away under a late payment before the
// notice has to be repeated.
const lateTries = 5

// pay applies a payment, with all that late money needs. It fails with
// errUnknown when the books know no such reservation.
func (w *Worker) pay(ctx context.Context, p payment) (outcome, error) {
	o, ok, err := w.books.plain().order(ctx, p.Reservation)
	if err != nil {
		return "", err
	}
	late, sale := configs.Refund, w.sale(o.Sale)
	if ok && sale != nil {
		late = sale.LatePayment
	}
	out, err := w.books.pay(ctx, p, late)
	for try := 0; errors.Is(err, errLate) && try < lateTries; try++ {
		out, err = w.payLate(ctx, sale, p)
	}
	if err != nil {
		return "", err
	}
	if ok {
		w.metrics.payment(o, p, out)
	}
	w.complain(ctx, "tell shoppers", w.tellOne(ctx, p.Reservation))
	return out, nil
}

// payLate pays for an order that has ended: gate first, books second. With
// errLate the order has moved meanwhile, and it may be tried again.
func (w *Worker) payLate(ctx context.Context, sale *configs.Sale, p payment) (outcome, error) {
	o, ok, err := w.books.plain().order(ctx, p.Reservation)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", errUnknown
	}
	if o.Status.Live() {
		return w.books.pay(ctx, p, configs.Rehold)
	}
	// Before the gate gives a unit for it, the notice is the only one under its
	// id; two of them, for two orders, would take a unit that nobody owns.
	if err := w.books.keepEarly(ctx, o.Sale, p); err != nil {
		return "", err
	}
	if o.Released.IsZero() { // else its old unit would be out beside the new one
		if err := w.release(ctx, o); err != nil {
			return "", err
		}
	}
	seen, _, err := w.books.mark(ctx, o.Sale)
	if err != nil {
		return "", err
	}
	g, err := w.gateOf(ctx, o.Sale)
	if err != nil {
		return "", fmt.Errorf("pay %s late: %w", p.Reservation, err)
	}
	next := o.receipt()
	next.Hold = gate.HoldID(o.ID, o.Holds+1)
	err = g.Retake(ctx, next)
	_, already := errors.AsType[*gate.AlreadyBoughtError](err)
	switch {
	case already, errors.Is(err, gate.ErrSoldOut):
		return w.books.pay(ctx, p, configs.Refund)
	case err != nil:
		return "", fmt.Errorf("pay %s late: %w", p.Reservation, err)
	}
	out, err := w.books.rehold(ctx, p, o.Holds, seen.Epoch)
	if errors.Is(err, errMovedOn) || errors.Is(err, errRebuilt) {
		err = errLate
	}
	return out, errors.Join(err, w.clear(ctx, o.ID, o.Holds+1))
}

// clear releases the nth hold of an order unless it is the one that the order
// lives on, or may still come to live on: after a late payment that found the
// order changed, or the books full.
func (w *Worker) clear(ctx context.Context, reservation string, n int) error {
	o, ok, err := w.books.plain().order(ctx, reservation)
	if err != nil || !ok || o.Holds < n || o.Status.Live() && o.Holds == n {
		return err
	}
	if o.Holds == n {
		return w.release(ctx, o)
	}
	g, err := w.gateOf(ctx, o.Sale)
	if err == nil {
		_, err = g.Release(ctx, o.Account, gate.HoldID(reservation, n))
	}
	return err
}

// tellOne tells what has become of one reservation.
func (w *Worker) tellOne(ctx context.Context, reservation string) error {
	o, ok, err := w.books.plain().order(ctx, reservation)
	notes := notesOf([]order{o})
	if err == nil && !ok {
		notes, err = w.books.refusalNotes(ctx, reservation)
	}
	if err != nil {
		return err
	}
	return w.tell(ctx, notes...)
}

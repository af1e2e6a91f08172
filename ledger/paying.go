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
	if ok && sale != nil && w.gateOf(o.Sale) != nil {
		late = sale.LatePayment
	}
	out, err := w.books.pay(ctx, p, late)
	for try := 0; errors.Is(err, errLate) && try < lateTries; try++ {
		out, err = w.payLate(ctx, sale, p)
	}
	if err != nil {
		return "", err
	}
	w.complain(ctx, "tell shoppers", w.tellOne(ctx, p.Reservation))
	return out, nil
}

// payLate pays for an order that has ended: gate first, books second. With
// errLate the order has moved meanwhile, and it may be tried again.
func (w *Worker) payLate(ctx context.Context, sale *configs.Sale, p payment) (outcome, error) {
	o, ok, err := w.books.plain().order(ctx, p.Reservation)
	if err != nil || !ok {
		return "", errors.Join(err, errUnknown)
	}
	if o.Status.Live() {
		return w.books.pay(ctx, p, configs.Rehold)
	}
	if o.Released.IsZero() { // else its old unit would be out beside the new one
		if err := w.release(ctx, o); err != nil {
			return "", err
		}
	}
	next := o.receipt()
	next.Hold = gate.HoldID(o.ID, o.Holds+1)
	err = w.gateOf(o.Sale).Retake(ctx, next, sale.PerAccount)
	var already *gate.AlreadyBoughtError
	switch {
	case errors.Is(err, gate.ErrSoldOut), errors.As(err, &already):
		return w.books.pay(ctx, p, configs.Refund)
	case err != nil:
		return "", fmt.Errorf("pay %s late: %w", p.Reservation, err)
	}
	out, err := w.books.rehold(ctx, p, o.Holds)
	if errors.Is(err, errMovedOn) {
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
	_, err = w.gateOf(o.Sale).Release(ctx, gate.HoldID(reservation, n))
	return err
}

// tellOne tells what has become of one reservation.
func (w *Worker) tellOne(ctx context.Context, reservation string) error {
	if o, ok, err := w.books.plain().order(ctx, reservation); ok || err != nil {
		return errors.Join(err, w.tell(ctx, notesOf([]order{o})...))
	}
	return w.tellWaiting(ctx)
}

// applyEarly applies the payments that came before these winners were written.
func (w *Worker) applyEarly(ctx context.Context, ws []gate.Winner) error {
	if len(ws) == 0 {
		return nil
	}
	ids := make([]string, 0, len(ws))
	for _, x := range ws {
		ids = append(ids, x.Reservation)
	}
	waiting, err := w.books.earlyFor(ctx, ids)
	if err != nil {
		return err
	}
	_, err = w.apply(ctx, waiting)
	return err
}

// applyWaiting applies early payments that were overlooked, and sends back those
// whose order never came.
func (w *Worker) applyWaiting(ctx context.Context) (int, error) {
	waiting, err := w.books.earlyReady(ctx, sweepBatch)
	if err != nil {
		return 0, err
	}
	n, err := w.apply(ctx, waiting)
	faults := []error{err}
	lost, err := w.books.earlyLost(ctx, sweepBatch)
	faults = append(faults, err)
	for _, e := range lost {
		err := w.books.refundLost(ctx, e)
		if errors.Is(err, errReused) {
			err = w.books.dropEarly(ctx, e)
		}
		faults = append(faults, err)
	}
	return n, errors.Join(faults...)
}

// apply applies notices that waited. One that needs a gate which is closed now
// goes on waiting.
func (w *Worker) apply(ctx context.Context, waiting []early) (n int, err error) {
	var faults []error
	for _, e := range waiting {
		switch _, err := w.pay(ctx, e.payment); {
		case err == nil:
			n++
		case errors.Is(err, errReused):
			faults = append(faults, w.books.dropEarly(ctx, e))
		case !errors.Is(err, gate.ErrClosed):
			faults = append(faults, err)
		}
	}
	return n, errors.Join(faults...)
}

// notice applies a payment, or keeps it while its winner is on its way. It says
// paid, refund_due or finishing.
func (w *Worker) notice(ctx context.Context, p payment) (gate.Status, error) {
	out, err := w.pay(ctx, p)
	if !errors.Is(err, errUnknown) {
		return gate.Status(out), err
	}
	key, err := w.findWinner(ctx, p.Reservation)
	if err != nil {
		return "", err
	}
	if err := w.books.keepEarly(ctx, key, p); err != nil {
		return "", err
	}
	// It may have been written between the two looks.
	out, err = w.pay(ctx, p)
	if errors.Is(err, errUnknown) {
		return gate.Finishing, nil
	}
	return gate.Status(out), err
}

// findWinner returns the sale in which a winner is on its way. It fails with
// errUnknown when no gate knows it.
func (w *Worker) findWinner(ctx context.Context, reservation string) (key string, err error) {
	var faults []error
	for key := range *w.sales.Load() {
		g := w.gateOf(key)
		if g == nil {
			continue
		}
		_, ok, err := g.Find(ctx, reservation)
		if ok {
			return key, nil
		}
		faults = append(faults, err)
	}
	// A gate that could not be asked may be the one that knows.
	if err := errors.Join(faults...); err != nil {
		return "", err
	}
	return "", errUnknown
}

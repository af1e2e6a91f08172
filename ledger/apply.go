package ledger

import (
	"context"
	"errors"

	"github.com/waitroom/waitroom/gate"
)

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
	_, err = w.applyAll(ctx, waiting)
	return err
}

// applyWaiting applies early payments that were overlooked, and sends back those
// whose order never came.
func (w *Worker) applyWaiting(ctx context.Context) (int, error) {
	waiting, err := w.books.earlyReady(ctx, sweepBatch)
	if err != nil {
		return 0, err
	}
	n, err := w.applyAll(ctx, waiting)
	faults := []error{err}
	lost, err := w.books.earlyLost(ctx, sweepBatch)
	faults = append(faults, err)
	for _, e := range lost {
		faults = append(faults, w.giveUp(ctx, e))
	}
	return n, errors.Join(faults...)
}

// giveUp makes the money of a notice that has waited long due back, unless its
// winner is still on its way: the workers may have been away as long. A gate that
// does not answer may be the one that knows.
func (w *Worker) giveUp(ctx context.Context, e early) error {
	coming, err := w.coming(ctx, e)
	if err != nil || coming {
		return err
	}
	switch err := w.books.refundLost(ctx, e); {
	case errors.Is(err, errMovedOn): // written just now: the next pass applies it
		return nil
	case errors.Is(err, errReused):
		return w.books.plain().dropEarly(ctx, e.payment)
	default:
		return err
	}
}

// coming reports whether the winner of a notice may still arrive: the gate knows
// it, or is closed and may have forgotten it, and its stream is not empty. A receipt
// alone brings no order.
func (w *Worker) coming(ctx context.Context, e early) (bool, error) {
	g, err := w.gateOf(ctx, e.sale)
	if err != nil {
		return false, err
	}
	_, there, err := g.Find(ctx, "", e.Reservation)
	if err != nil {
		return false, err
	}
	snap, err := g.Look(ctx)
	return snap.Backlog > 0 && (there || !snap.Open()), err
}

// applyAll applies notices that waited. One that needs a gate which is closed now
// goes on waiting.
func (w *Worker) applyAll(ctx context.Context, waiting []early) (n int, err error) {
	var faults []error
	for _, e := range waiting {
		switch _, err := w.pay(ctx, e.payment); {
		case err == nil:
			n++
		case errors.Is(err, errReused), isWrong(err):
			faults = append(faults, w.books.plain().dropEarly(ctx, e.payment))
		case !errors.Is(err, gate.ErrClosed):
			faults = append(faults, err)
		}
	}
	return n, errors.Join(faults...)
}

package ledger

import (
	"context"
	"errors"

	"github.com/waitroom/waitroom/gate"
)

// notice applies a payment, or keeps it while its winner is on its way. It says
// paid, refund_due or finishing, and fails with a wrongPrice when the payment is
// not of what the order costs.
func (w *Worker) notice(ctx context.Context, p payment) (gate.Status, error) {
	out, err := w.pay(ctx, p)
	if !errors.Is(err, errUnknown) {
		return w.said(ctx, p, out, err)
	}
	key, err := w.findWinner(ctx, p.Reservation)
	if errors.Is(err, errUnknown) { // refused between the two looks, it left the gate
		out, err = w.pay(ctx, p)
		return w.said(ctx, p, out, err)
	}
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
	return w.said(ctx, p, out, err)
}

// said is what the shop is told of an outcome.
func (w *Worker) said(ctx context.Context, p payment, out outcome, err error) (gate.Status, error) {
	if err != nil || out != outcomeWrong {
		return gate.Status(out), err
	}
	o, _, err := w.books.plain().order(ctx, p.Reservation)
	if err != nil {
		return "", err
	}
	return "", &wrongPrice{due: o.due(), back: true}
}

// findWinner returns the sale in which a winner is on its way. It fails with
// errUnknown when no gate knows it.
func (w *Worker) findWinner(ctx context.Context, reservation string) (key string, err error) {
	var faults []error
	for key := range *w.sales.Load() {
		g, err := w.gateOf(ctx, key)
		if err == nil {
			var ok bool
			if _, ok, err = g.Find(ctx, "", reservation); ok {
				return key, nil
			}
		}
		faults = append(faults, err)
	}
	// A gate that could not be asked may be the one that knows.
	if err := errors.Join(faults...); err != nil {
		return "", err
	}
	return "", errUnknown
}

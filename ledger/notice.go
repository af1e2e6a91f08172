package ledger

import (
	"context"
	"errors"
	"maps"
	"slices"

	"go.uber.org/zap"

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
		if out, err = w.pay(ctx, p); errors.Is(err, errUnknown) {
			return "", w.unclaimed(p)
		}
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

// unclaimed notes a payment for a reservation that nobody knows, and of which
// nothing is kept: the shop is told so, and has to give the money back itself.
func (w *Worker) unclaimed(p payment) error {
	w.metrics.payments.WithLabelValues("", string(outcomeUnknown)).Inc()
	w.log.Warn("payment for a reservation that nobody knows, the shop has to give it back",
		zap.String("payment", p.ID), zap.String("reservation", p.Reservation))
	return errUnclaimed
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

// findWinner returns the sale in which a winner is on its way: one that is
// configured, or else one that has left the configuration since. It fails with
// errUnknown when no gate knows it.
func (w *Worker) findWinner(ctx context.Context, reservation string) (key string, err error) {
	configured := *w.sales.Load()
	key, fault := w.findIn(ctx, slices.Collect(maps.Keys(configured)), reservation)
	if key != "" {
		return key, nil
	}
	built, err := w.books.lately(ctx)
	if err != nil {
		return "", errors.Join(fault, err)
	}
	former := slices.DeleteFunc(built, func(key string) bool { return configured[key] != nil })
	key, err = w.findIn(ctx, former, reservation)
	if key != "" {
		return key, nil
	}
	// A gate that could not be asked may be the one that knows.
	if err := errors.Join(fault, err); err != nil {
		return "", err
	}
	return "", errUnknown
}

// findIn returns that of some sales whose gate knows a reservation; empty, and what
// went wrong, when none says so.
func (w *Worker) findIn(ctx context.Context, keys []string, reservation string) (key string, err error) {
	var faults []error
	for _, key := range keys {
		g, err := w.gateOf(ctx, key)
		if err == nil {
			var ok bool
			if _, ok, err = g.Find(ctx, "", reservation); ok {
				return key, nil
			}
		}
		faults = append(faults, err)
	}
	return "", errors.Join(faults...)
}

package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

const (
	keepEvery = 500 * time.Millisecond
	markEvery = time.Second // how old the mark in the books may become
	// rebuilding begins the reason under which a keeper closes a gate.
	rebuilding = "rebuild by "
	// yield is how long a keeper leaves another one's rebuild alone.
	yield = 3 * time.Second
)

// keeper keeps one sale's gate in step with the books: it builds a gate that is
// missing, closed, older than one that was seen or one that the books have never
// heard of, and follows the file's stock. A keeper takes one step at a time and
// waits for nothing. Two on one gate notice each other by the reason under which
// it is closed.
type keeper struct {
	worker *Worker
	key    string
	doubt  nudge     // given when books and gate may have come apart
	why    string    // under which it closed the gate, while it rebuilds
	other  string    // another one's reason, as last seen
	since  time.Time // when that was seen first
	marked time.Time // when the mark was last written down
	spared time.Time // when the life of the gate's keys was prolonged
	alarm  bool      // the gate was lost, and a line says so
	met    bool      // it has seen the gate open
	rivals rivals
	kept   time.Time // when it took its last step

	followed int  // the stock of the file that it has made true last
	behind   bool // the gate had fewer units than the books at the last step
}

// keep takes the next step.
func (k *keeper) keep(ctx context.Context) error {
	w := k.worker
	sale := w.sale(k.key)
	if sale == nil || k.rests(sale, time.Now()) {
		return nil
	}
	g, err := w.gateOf(ctx, k.key)
	if err != nil {
		return err
	}
	if err := errors.Join(w.books.stockUp(ctx, sale), k.settle(ctx, sale)); err != nil {
		return err
	}
	seen, each, err := w.books.mark(ctx, k.key)
	if err != nil {
		return err
	}
	if err := k.remember(ctx, g, each); err != nil {
		return err
	}
	snap, err := g.Look(ctx)
	if err != nil {
		return err
	}
	w.metrics.backlog.WithLabelValues(saleID(k.key)).Set(float64(snap.Backlog))
	if snap.Mark.Epoch > seen.Epoch { // another keeper's rebuild, or books that lost it
		if seen, _, err = w.books.mark(ctx, k.key); err != nil {
			return err
		}
	}
	if !snap.Open() || snap.Mark.Before(seen) || snap.Mark.Epoch > seen.Epoch {
		return k.rebuild(ctx, g, snap, seen)
	}
	k.why, k.alarm, k.met, k.rivals.epoch = "", false, true, snap.Mark.Epoch
	if now := time.Now(); seen.Before(snap.Mark) && now.Sub(k.marked) >= markEvery {
		k.marked = now
		if err := w.books.noteMark(ctx, k.key, snap.Mark, g.Seen()); err != nil {
			return err
		}
	}
	if err := k.outlive(ctx, g, sale); err != nil {
		return err
	}
	return k.follow(ctx, g, sale, snap)
}

// remember tells a gate what the books know of it. Until the keeper has seen it open,
// the gate is asked for its past as well: whoever reads its winners may have come first
// after a start, and taken an older copy for the newest.
func (k *keeper) remember(ctx context.Context, g *gate.Gate, each []gate.Sight) error {
	if k.met {
		g.Remember(each)
		return nil
	}
	return g.Retrace(ctx, each)
}

// rests reports whether a step is not due yet: an open gate of a sale that is not
// live is looked at now and then.
func (k *keeper) rests(sale *configs.Sale, now time.Time) bool {
	if k.met && k.why == "" && !live(sale, now) && now.Sub(k.kept) < idleEvery {
		return true
	}
	k.kept = now
	return false
}

package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

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
// heard of, and follows the file's stock. A keeper takes one step at a time and waits for nothing. Two on one gate
// notice each other by the reason under which it is closed.
type keeper struct {
	worker *Worker
	key    string
	why    string    // under which it closed the gate, while it rebuilds
	other  string    // another one's reason, as last seen
	since  time.Time // when that was seen first
	noted  time.Time // when the mark was last written down
	alarm  bool      // the gate was lost, and a line says so
}

// keep takes the next step.
func (k *keeper) keep(ctx context.Context) error {
	w := k.worker
	sale, g := w.sale(k.key), w.gateOf(k.key)
	if sale == nil || g == nil {
		return nil
	}
	if err := w.books.enter(ctx, k.key, sale.Stock); err != nil {
		return err
	}
	seen, err := w.books.mark(ctx, k.key)
	if err != nil {
		return err
	}
	snap, err := g.Look(ctx)
	if err != nil {
		return err
	}
	w.metrics.backlog.WithLabelValues(saleID(k.key)).Set(float64(snap.Backlog))
	if snap.Mark.Epoch > seen.Epoch { // another keeper's rebuild, or books that lost it
		if seen, err = w.books.mark(ctx, k.key); err != nil {
			return err
		}
	}
	if !snap.Open() || snap.Mark.Before(seen) || snap.Mark.Epoch > seen.Epoch {
		return k.rebuild(ctx, g, snap, seen)
	}
	k.why, k.alarm = "", false
	if now := time.Now(); seen.Before(snap.Mark) && now.Sub(k.noted) >= markEvery {
		k.noted = now
		if err := w.books.note(ctx, k.key, snap.Mark); err != nil {
			return err
		}
	}
	return k.follow(ctx, g, sale, snap)
}

// rebuild takes the next step towards a gate that is what the books say: close
// it, let the winners that are on their way arrive, build it anew.
func (k *keeper) rebuild(ctx context.Context, g *gate.Gate, snap gate.Snapshot, seen gate.Mark) error {
	k.raise(snap, seen)
	if k.why == "" || snap.Closed != k.why {
		if k.yields(snap.Closed) {
			return nil
		}
		k.why = rebuilding + uuid.NewString()
		if err := g.Close(ctx, k.why); err != nil {
			return err
		}
		var err error
		if snap, err = g.Look(ctx); err != nil {
			return err
		}
	}
	if snap.Closed != k.why || snap.Backlog > 0 {
		return nil // another keeper came, or the reader is at it
	}
	why := k.why
	k.why = "" // whatever comes of it, the next try begins again
	epoch := max(seen.Epoch, snap.Mark.Epoch, snap.Floor) + 1
	if ok, err := k.worker.books.claimEpoch(ctx, k.key, seen.Epoch, epoch); err != nil || !ok {
		return err
	}
	books, err := k.worker.books.live(ctx, k.key)
	if err != nil {
		return err
	}
	books.Epoch = epoch
	ok, err := g.Rebuild(ctx, why, books)
	if err != nil || !ok {
		return err
	}
	k.worker.metrics.rebuilds.WithLabelValues(saleID(k.key)).Inc()
	k.worker.log.Info("gate built", zap.String("sale", k.key), zap.Uint64("epoch", epoch), zap.Int("orders", len(books.Live)))
	return nil
}

// yields reports whether another keeper's rebuild is young enough to be left
// alone. The extra time is random, so that two that give up do not clash again.
func (k *keeper) yields(closed string) bool {
	if !strings.HasPrefix(closed, rebuilding) {
		return false
	}
	if closed != k.other {
		k.other, k.since = closed, time.Now()
	}
	return time.Since(k.since) < yield+rand.N(yield)
}

// raise says, once, that a gate which had been built is gone or older.
func (k *keeper) raise(snap gate.Snapshot, seen gate.Mark) {
	if k.alarm || seen.Epoch == 0 || strings.HasPrefix(snap.Closed, rebuilding) {
		return
	}
	k.alarm = true
	k.worker.metrics.lost.WithLabelValues(saleID(k.key)).Inc()
	k.worker.log.Error("gate is not the one that the books know: it sells nothing until it is rebuilt",
		zap.String("sale", k.key), zap.Bool("missing", snap.Missing), zap.String("closed", snap.Closed),
		zap.Uint64("epoch", snap.Mark.Epoch), zap.Uint64("moves", snap.Mark.Moves),
		zap.Uint64("seen_epoch", seen.Epoch), zap.Uint64("seen_moves", seen.Moves))
}

// follow makes books and gate have as many units as the file says. Upwards the
// books come first, downwards the gate, so that the gate never offers more than
// the books have.
func (k *keeper) follow(ctx context.Context, g *gate.Gate, sale *configs.Sale, snap gate.Snapshot) error {
	books := k.worker.books
	total, err := books.total(ctx, k.key)
	if err != nil {
		return err
	}
	switch {
	case sale.Stock > total:
		if ok, err := books.setTotal(ctx, k.key, total, sale.Stock); err != nil || !ok {
			return err
		}
		_, err = g.SetTotal(ctx, sale.Stock)
	case sale.Stock < total:
		// What is out stays out: the gate says how far down it could go.
		var got int
		if got, err = g.SetTotal(ctx, sale.Stock); err == nil && got < total {
			_, err = books.setTotal(ctx, k.key, total, got)
		}
	case snap.Total != total: // somebody stopped between the two
		_, err = g.SetTotal(ctx, total)
	}
	if errors.Is(err, gate.ErrClosed) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("follow stock of %s: %w", k.key, err)
	}
	return nil
}

package ledger

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/gate"
)

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
	if sent, err := k.worker.sendAllAnew(ctx, g, k.key); err != nil || sent > 0 {
		return err // the reader is at it
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
	k.alarm, k.met, k.rivals.epoch = false, true, epoch
	if seen.Epoch > 0 {
		k.doubt.give() // of what a worker had in hand, and of what ended orders were told
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

// raise says, once, that a gate which had been built is gone or older. A gate
// that lives in this program is gone at every start: that is no alarm.
func (k *keeper) raise(snap gate.Snapshot, seen gate.Mark) {
	if k.alarm || seen.Epoch == 0 || strings.HasPrefix(snap.Closed, rebuilding) {
		return
	}
	k.alarm = true
	if snap.Missing && !k.met && k.worker.books.embedded() {
		k.worker.log.Info("gate went with the last run, will be built from the books", zap.String("sale", k.key))
		return
	}
	k.worker.metrics.lost.WithLabelValues(saleID(k.key)).Inc()
	if now := time.Now(); k.rivals.sign(snap, seen, now) {
		if !k.rivals.silent(now) {
			k.worker.log.Error("another gate claims this sale: give all programs that share postgres.url the same redis.url",
				zap.String("sale", k.key), zap.Uint64("epoch", snap.Mark.Epoch), zap.Uint64("seen_epoch", seen.Epoch))
		}
		return
	}
	k.worker.log.Error("gate is not the one that the books know: it sells nothing until it is rebuilt",
		zap.String("sale", k.key), zap.Bool("missing", snap.Missing), zap.String("closed", snap.Closed),
		zap.Uint64("epoch", snap.Mark.Epoch), zap.Uint64("moves", snap.Mark.Moves),
		zap.Uint64("seen_epoch", seen.Epoch), zap.Uint64("seen_moves", seen.Moves))
}

// live reads what a gate is rebuilt from, in one transaction.
func (b *Books) live(ctx context.Context, key string) (books gate.Contents, err error) {
	err = b.inTx(ctx, func(c conn) error {
		// The lock keeps total and orders of one moment.
		err := c.row(ctx, `SELECT total FROM sale_stock WHERE sale = $1 {lock}`, key).Scan(&books.Total)
		if err != nil {
			return err
		}
		orders, err := c.liveOrders(ctx, key)
		books.Live = nil
		for _, o := range orders {
			books.Live = append(books.Live, gate.Live{Receipt: o.receipt(), Note: o.note()})
		}
		return err
	})
	if err != nil {
		return gate.Contents{}, fmt.Errorf("read live orders of %s: %w", key, err)
	}
	return books, nil
}

func (c conn) liveOrders(ctx context.Context, key string) ([]order, error) {
	return rows(ctx, c, scanOrder, `SELECT `+orderColumns+` FROM sale_orders
		WHERE sale = $1 AND status IN ('PENDING_PAYMENT', 'PAID')`, key)
}

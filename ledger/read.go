package ledger

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

const (
	readBatch = 250
	readWait  = time.Second // also how long an end may take
	readPause = time.Second // after a failed read; the group may have been gone
	worstWait = 2 * time.Second
	// readSeats is how many readers may wait in Redis at once. Each of them has a
	// connection to itself meanwhile, and all else needs some too.
	readSeats = 16
	readTurn  = 200 * time.Millisecond // how often a live sale without a seat is read
	idleEvery = 3 * time.Second        // how often one that is not live is read, and kept
	noWait    = -1
)

// read drains one sale's winners until ctx ends or the sale is over. Winners of
// a live sale are waited for; the others are read now and then, for a sale may
// have hundreds of runs behind it and before it.
func (w *Worker) read(ctx context.Context, key string, g *gate.Gate) {
	reader := g.Winners(w.section.Name + "/" + key)
	var last *configs.Sale // as it was configured last
	for ctx.Err() == nil {
		if sale := w.sale(key); sale != nil {
			last = sale
		} else if w.over(ctx, key, g, last) {
			return
		}
		ws, rest, err := w.next(ctx, reader, last != nil && live(last, time.Now()))
		switch {
		case err != nil:
			w.complain(ctx, "read winners", err)
			pause(ctx, readPause)
		case len(ws) > 0:
			_ = w.pace.WaitN(ctx, len(ws)) // an end cuts it short; what is in hand is settled
			w.settle(ctx, key, g, reader, ws)
		default:
			pause(ctx, rest)
		}
	}
}

// next reads once, and says for how long to rest when there was nothing.
func (w *Worker) next(ctx context.Context, reader *gate.Reader, live bool) (ws []gate.Winner, rest time.Duration, err error) {
	if !live {
		ws, err = reader.Read(ctx, readBatch, noWait)
		return ws, idleEvery*4/5 + rand.N(idleEvery*2/5), err
	}
	select {
	case w.seats <- struct{}{}:
		defer func() { <-w.seats }()
		ws, err = reader.Read(ctx, readBatch, readWait)
		return ws, 0, err
	default:
		ws, err = reader.Read(ctx, readBatch, noWait)
		return ws, readTurn, err
	}
}

// settle tries until every winner of a batch is settled and acknowledged, or
// until ctx ends; it then makes one try more. What is not acknowledged comes
// again, and is recognised.
func (w *Worker) settle(ctx context.Context, key string, g *gate.Gate, reader *gate.Reader, ws []gate.Winner) {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, worstWait) {
		ending := ctx.Err() != nil
		err := within(context.WithoutCancel(ctx), stepTimeout, func(ctx context.Context) error {
			return w.settleBatch(ctx, key, g, reader, ws)
		})
		if err == nil || ending {
			return
		}
		w.complain(ctx, "write winners", err)
		pause(ctx, wait)
	}
}

package ledger

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

const (
	readWait  = time.Second // also how long an end may take
	readPause = time.Second // after a failed read; the group may have been gone
	// readSeats is how many readers may wait in Redis at once. Each of them has a
	// connection to itself meanwhile, and all else needs some too.
	readSeats = 16
	readTurn  = 200 * time.Millisecond // how often a live bucket without a seat is read
	idleEvery = 3 * time.Second        // how often one that is not live is read, and kept
	noWait    = -1
)

// read hands one bucket's winners on. Those of a live sale are waited for; others
// are read now and then, for a sale may have hundreds of runs behind it and before
// it.
func (w *Worker) read(ctx context.Context, key string, g *gate.Gate, r *gate.Reader, caught chan<- catch, doubt nudge) {
	var last *configs.Sale // as it was configured last
	for ctx.Err() == nil {
		if sale := w.sale(key); sale != nil {
			last = sale
		} else if w.over(ctx, key, g, last) {
			return
		}
		ws, rest, err := w.next(ctx, r, last != nil && live(last, time.Now()))
		switch {
		case err != nil:
			w.complain(ctx, "read winners", err)
			doubt.give() // the stream may be gone, and winners with it
			pause(ctx, readPause)
		case len(ws) > 0:
			select {
			case caught <- catch{r, ws, time.Now()}:
			case <-ctx.Done():
			}
		default:
			pause(ctx, rest)
		}
	}
}

// next reads once, and says for how long to rest when there was nothing.
func (w *Worker) next(ctx context.Context, r *gate.Reader, live bool) (ws []gate.Winner, rest time.Duration, err error) {
	if !live {
		ws, err = r.Read(ctx, w.most, noWait)
		return ws, idleEvery*4/5 + rand.N(idleEvery*2/5), err
	}
	select {
	case w.seats <- struct{}{}:
		defer func() { <-w.seats }()
		ws, err = r.Read(ctx, w.most, readWait)
		return ws, 0, err
	default:
		ws, err = r.Read(ctx, w.most, noWait)
		return ws, readTurn, err
	}
}

package ledger

import (
	"context"
	"sync"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

// attendAll looks after every sale that is configured, and after those of which
// an earlier run of the program left winners. A sale's loops go on when it leaves
// the configuration, since what is on its way must still arrive, and end by
// themselves when nothing is.
func (w *Worker) attendAll(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	left, over, running := make(chan string), make(chan string), make(map[string]bool)
	start := func(key string) {
		if running[key] {
			return
		}
		running[key] = true
		all.Go(func() {
			w.attend(ctx, key)
			hand(ctx, over, key)
		})
	}
	all.Go(func() { w.findLeft(ctx, left) })
	for {
		for key := range *w.sales.Load() {
			start(key)
		}
		select {
		case <-w.changed:
		case key := <-left:
			start(key)
		case key := <-over: // it may be configured again by now
			delete(running, key)
		case <-ctx.Done():
			return
		}
	}
}

// findLeft finds sales that are no longer configured but have winners that no
// worker has written: all workers were away when they ended.
func (w *Worker) findLeft(ctx context.Context, left chan<- string) {
	keys, err := w.books.built(ctx)
	for ; err != nil && pause(ctx, worstWait); keys, err = w.books.built(ctx) {
		w.complain(ctx, "look for winners that were left", err)
	}
	for _, key := range keys {
		if w.sale(key) != nil {
			continue
		}
		if g := w.findGate(ctx, key); g != nil && !w.over(ctx, key, g, nil) {
			hand(ctx, left, key)
		}
	}
}

func hand(ctx context.Context, to chan<- string, key string) {
	select {
	case to <- key:
	case <-ctx.Done():
	}
}

// attend keeps one sale's gate, reconciles it where there is doubt, lets its holds
// lapse, and reads its winners until it is over or ctx ends.
func (w *Worker) attend(ctx context.Context, key string) {
	g := w.findGate(ctx, key)
	if g == nil {
		return
	}
	ctx, end := context.WithCancel(ctx)
	var keeping sync.WaitGroup
	k := keeper{worker: w, key: key, doubt: newNudge()}
	keeping.Go(func() { w.every(ctx, 0, keepEvery, "keep gate", k.keep) })
	keeping.Go(func() { w.reconcileAt(ctx, key, k.doubt) })
	keeping.Go(func() {
		w.every(ctx, 0, lapseEvery, "expire holds", func(ctx context.Context) error { return w.lapse(ctx, key) })
	})
	for ; g != nil; g = w.drainOf(ctx, key, g, k.doubt) {
	}
	end()
	keeping.Wait()
}

// drainOf drains a sale by one gate, and returns the one with other buckets that has
// replaced it; nil when the sale is over or ctx ends. The other one is only built
// when nothing waits in this one any more.
func (w *Worker) drainOf(ctx context.Context, key string, g *gate.Gate, doubt nudge) *gate.Gate {
	reading, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	var next *gate.Gate
	watching.Go(func() {
		w.every(reading, keepEvery, keepEvery, "watch gate", func(ctx context.Context) error {
			now, err := w.gateOf(ctx, key)
			if err != nil || now.Buckets() == g.Buckets() {
				return err
			}
			snap, err := now.Look(ctx)
			if err == nil && snap.Open() {
				next = now
				stop()
			}
			return err
		})
	})
	w.drain(reading, key, g, doubt)
	stop()
	watching.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return next
}

// findGate tries to get a sale's gate until it has it; nil: ctx ended before.
func (w *Worker) findGate(ctx context.Context, key string) *gate.Gate {
	for {
		g, err := w.gateOf(ctx, key)
		if err == nil {
			return g
		}
		w.complain(ctx, "find gate", err)
		if !pause(ctx, worstWait) {
			return nil
		}
	}
}

// over reports whether a sale's winners need no reader any more: it has left the
// configuration, by what that said last it is not live, and its stream is empty.
// What its orders still need, the sweeper does for every sale in the books.
func (w *Worker) over(ctx context.Context, key string, g *gate.Gate, last *configs.Sale) bool {
	if w.sale(key) != nil || last != nil && live(last, time.Now()) {
		return false
	}
	snap, err := g.Look(ctx)
	w.complain(ctx, "look at gate", err)
	return err == nil && snap.Backlog == 0
}

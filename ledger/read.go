package ledger

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/gate"
)

const (
	readBatch = 250
	readWait  = time.Second // also how long an end may take
	readPause = time.Second // after a failed read; the group may have been gone
	worstWait = 2 * time.Second
)

// read drains one sale's winners until ctx ends.
func (w *Worker) read(ctx context.Context, key string) {
	g := w.gateOf(key)
	if g == nil {
		w.log.Error("sale has no gate", zap.String("sale", key))
		return
	}
	reader := g.Winners(w.section.Name + "/" + key)
	for ctx.Err() == nil {
		ws, err := reader.Read(ctx, readBatch, readWait)
		if err != nil {
			w.complain(ctx, "read winners", err)
			pause(ctx, readPause)
			continue
		}
		if len(ws) > 0 {
			_ = w.pace.WaitN(ctx, len(ws)) // an end cuts it short; what is in hand is settled
			w.settle(ctx, key, g, reader, ws)
		}
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

package ledger

import (
	"context"
	"math/rand/v2"
	"time"

	"go.uber.org/zap"
)

const stepTimeout = 20 * time.Second

// every takes a step at once and then again and again, give or take a fifth of
// the interval, so that many workers do not step together.
func (w *Worker) every(ctx context.Context, interval time.Duration, what string, step func(context.Context) error) {
	for {
		w.complain(ctx, what, within(ctx, stepTimeout, step))
		if !pause(ctx, interval*4/5+rand.N(interval*2/5)) {
			return
		}
	}
}

// everyLater is every, but for the step at once: not all that a worker does has
// to be done at its start, when there is most to do.
func (w *Worker) everyLater(ctx context.Context, interval time.Duration, what string, step func(context.Context) error) {
	if pause(ctx, interval/2+rand.N(interval/2)) {
		w.every(ctx, interval, what, step)
	}
}

func within(ctx context.Context, limit time.Duration, step func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return step(ctx)
}

// complain logs what failed: at most one line a second, nothing at the end.
func (w *Worker) complain(ctx context.Context, what string, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	w.metrics.failures.WithLabelValues(what).Inc()
	w.once.Do(func() { w.log.Error("step failed, will be tried again", zap.String("step", what), zap.Error(err)) })
}

// pause waits for d and reports whether ctx let it.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

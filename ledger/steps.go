package ledger

import (
	"context"
	"math/rand/v2"
	"time"

	"go.uber.org/zap"
)

const (
	stepTimeout = 20 * time.Second
	// What fails is tried again after firstWait, and then ever later, up to worstWait.
	firstWait = 50 * time.Millisecond
	worstWait = 2 * time.Second
)

// every takes a step after a first delay and then again and again, give or take a
// fifth of the interval, so that many workers do not step together.
func (w *Worker) every(ctx context.Context, first, interval time.Duration, what string, step func(context.Context) error) {
	for pause(ctx, first) {
		w.complain(ctx, what, within(ctx, stepTimeout, step))
		first = interval*4/5 + rand.N(interval*2/5)
	}
}

// insist takes a step until it succeeds or ctx ends; it then takes it once more.
func (w *Worker) insist(ctx context.Context, what string, step func(context.Context) error) bool {
	for wait := firstWait; ; wait = min(2*wait, worstWait) {
		ending := ctx.Err() != nil
		err := within(context.WithoutCancel(ctx), stepTimeout, step)
		if err == nil || ending {
			return err == nil
		}
		w.complain(ctx, what, err)
		pause(ctx, wait)
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

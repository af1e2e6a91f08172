package queueing

import (
	"context"
	"sync"
	"time"
)

// callPause is the least time between two calls of one kind: a crowd on one
// edge costs Redis at most 200 of them a second.
const callPause = 5 * time.Millisecond

// together lets callers who come together share one call. There is no
// goroutine: whoever holds the turn makes the call for all who joined its
// batch. Everyone who waits also waits for the turn, so a caller that leaves is
// replaced.
type together[Q, A any] struct {
	ask  func(ctx context.Context, questions []Q) (answers []A, err error)
	most int           // questions in a call, of those that count
	gap  time.Duration // callPause, or less in a time that is not the world's
	turn chan struct{} // holds one value; whoever has taken it leads

	counts func(Q) bool // which questions do; nil: all

	mu      sync.Mutex
	pending *batch[Q, A] // those who will go with a next call, nil: nobody yet
	last    time.Time    // end of the last call; only the leader touches it
}

// batch is one call's worth of questions. They grow until the batch is led;
// answers and err are written before done is closed.
type batch[Q, A any] struct {
	questions []Q
	counted   int
	done      chan struct{}
	answers   []A
	err       error
}

func newTogether[Q, A any](most int, counts func(Q) bool, ask func(context.Context, []Q) ([]A, error)) *together[Q, A] {
	t := &together[Q, A]{ask: ask, most: most, counts: counts, gap: callPause, turn: make(chan struct{}, 1)}
	t.turn <- struct{}{}
	return t
}

// one waits for the answer to this caller's own question.
func (t *together[Q, A]) one(ctx context.Context, q Q) (answer A, err error) {
	b, i := t.join(q)
	select {
	case <-b.done:
	case <-ctx.Done():
		return answer, ctx.Err()
	case <-t.turn:
		err := t.lead(ctx, b)
		t.turn <- struct{}{}
		if err != nil {
			return answer, err
		}
	}
	if b.err != nil {
		return answer, b.err
	}
	return b.answers[i], nil
}

func (t *together[Q, A]) join(q Q) (b *batch[Q, A], i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts := t.counts == nil || t.counts(q)
	if t.pending == nil || counts && t.pending.counted == t.most {
		t.pending = &batch[Q, A]{done: make(chan struct{})}
	}
	b, i = t.pending, len(t.pending.questions)
	if counts {
		b.counted++
	}
	b.questions = append(b.questions, q)
	return b, i
}

// lead makes the call for b, unless a leader before has just done so. It fails
// only if ctx ends before the call, and then leaves b to the others.
func (t *together[Q, A]) lead(ctx context.Context, b *batch[Q, A]) error {
	select {
	case <-b.done:
		return nil
	default:
	}
	if wait := time.Until(t.last.Add(t.gap)); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	t.mu.Lock()
	if t.pending == b {
		t.pending = nil
	}
	t.mu.Unlock()

	// From here on the call is everyone's, not only the leader's.
	b.answers, b.err = t.ask(context.WithoutCancel(ctx), b.questions)
	t.last = time.Now()
	close(b.done)
	return nil
}

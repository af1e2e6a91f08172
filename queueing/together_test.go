package queueing

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// slowStore counts the calls for numbers and answers each after a while.
type slowStore struct {
	delay time.Duration
	calls []time.Time
	next  uint64
	err   error
}

func (s *slowStore) take(ctx context.Context, asked []string) ([]uint64, error) {
	s.calls = append(s.calls, time.Now())
	time.Sleep(s.delay)
	numbers := make([]uint64, len(asked))
	for i := range numbers {
		numbers[i] = s.next
		s.next++
	}
	return numbers, errors.Join(s.err, ctx.Err())
}

func number(ctx context.Context, e *together[string, uint64]) (uint64, error) {
	return e.one(ctx, "")
}

func TestTogether_BatchesArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slowStore{delay: time.Millisecond}
		e := newTogether(1<<20, nil, store.take)
		const callers = 10_000
		numbers := make([]uint64, callers)
		start := time.Now()
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * time.Second / callers)
				n, err := number(t.Context(), e)
				if err != nil {
					t.Error(err)
				}
				numbers[i] = n
			})
		}
		wg.Wait()
		if elapsed := time.Since(start); elapsed > time.Second+20*time.Millisecond {
			t.Errorf("took %v", elapsed)
		}
		if len(store.calls) > 201 {
			t.Errorf("%d calls in a second", len(store.calls))
		}
		seen := map[uint64]bool{}
		for _, n := range numbers {
			if seen[n] || n >= callers {
				t.Fatalf("number %d given twice, or beyond %d", n, callers)
			}
			seen[n] = true
		}
	})
}

// A first caller need not wait for anything.
func TestTogether_IsImmediateWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newTogether(1<<20, nil, (&slowStore{}).take)
		for range 3 {
			start := time.Now()
			if _, err := number(t.Context(), e); err != nil || time.Since(start) != 0 {
				t.Errorf("waited %v, %v", time.Since(start), err)
			}
			time.Sleep(time.Second)
		}
	})
}

// Callers that leave, also the one that was about to make the call, do not keep
// the others from their numbers.
func TestTogether_OutlivesCallersThatLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slowStore{delay: 100 * time.Millisecond}
		e := newTogether(1<<20, nil, store.take)
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*3*time.Millisecond)
				defer cancel()
				_, _ = number(ctx, e)
			})
		}
		var stayed atomic.Int64
		for range 10 {
			wg.Go(func() {
				time.Sleep(time.Millisecond)
				if _, err := number(t.Context(), e); err == nil {
					stayed.Add(1)
				}
			})
		}
		wg.Wait()
		if stayed := stayed.Load(); stayed != 10 {
			t.Errorf("%d of 10 who stayed have a number", stayed)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 20 { // the choice between turn and end is random
			if _, err := number(ctx, e); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		if _, err := number(t.Context(), e); err != nil {
			t.Error(err)
		}
	})
}

func TestTogether_TellsAllOfTheBatchWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newTogether(1<<20, nil, (&slowStore{delay: time.Millisecond, err: ErrEnded}).take)
		for range 5 {
			go func() {
				if _, err := number(t.Context(), e); !errors.Is(err, ErrEnded) {
					t.Errorf("got %v, want ErrEnded", err)
				}
			}()
		}
		synctest.Wait()
		time.Sleep(time.Second)
	})
}

// Each caller gets the answer to its own question, however many calls it takes,
// and no call carries more than it may.
func TestTogether_AnswersEachItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 7
		e := newTogether(most, nil, func(_ context.Context, asked []int) ([]int, error) {
			if len(asked) > most {
				t.Errorf("%d questions in a call, at most %d allowed", len(asked), most)
			}
			time.Sleep(time.Millisecond)
			answers := make([]int, len(asked))
			for i, q := range asked {
				answers[i] = -q
			}
			return answers, nil
		})
		var wg sync.WaitGroup
		for q := range 100 {
			wg.Go(func() {
				if a, err := e.one(t.Context(), q); err != nil || a != -q {
					t.Errorf("asked %d, answered %d, %v", q, a, err)
				}
			})
		}
		wg.Wait()
	})
}

// Questions that do not count go in a call beside those that do, however many.
func TestTogether_CountsWhatCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 3
		var calls []int
		odd := func(q int) bool { return q%2 == 1 }
		e := newTogether(most, odd, func(_ context.Context, asked []int) ([]int, error) {
			n := 0
			for _, q := range asked {
				n += q % 2
			}
			if n > most {
				t.Errorf("%d questions that count in a call, at most %d allowed", n, most)
			}
			calls = append(calls, len(asked))
			time.Sleep(time.Millisecond)
			return asked, nil
		})
		var wg sync.WaitGroup
		for q := range 100 {
			wg.Go(func() {
				if a, err := e.one(t.Context(), 2*q); err != nil || a != 2*q {
					t.Errorf("asked %d, answered %d, %v", 2*q, a, err)
				}
			})
		}
		wg.Wait()
		if len(calls) > 2 {
			t.Errorf("calls of %v for what does not count, want two at most", calls)
		}
		for q := range 20 {
			wg.Go(func() {
				if a, err := e.one(t.Context(), 2*q+1); err != nil || a != 2*q+1 {
					t.Errorf("asked %d, answered %d, %v", 2*q+1, a, err)
				}
			})
		}
		wg.Wait()
	})
}

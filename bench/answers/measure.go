package main

import (
	"context"
	"crypto/tls"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// figures are what one server did in one row and round.
type figures struct {
	cpu  time.Duration // of one answer
	rate float64       // answers a second
	busy float64       // share of a core

	p50, p90, p99, p999 time.Duration // of an answer, in the rows of latency

	rss, kernel float64 // bytes of one connection, in the rows of memory
}

// steady asks again and again on the connections that there are.
func steady(ctx context.Context, st *stage, o options, r row, round int) (map[string]figures, error) {
	return st.inTurns(round, func(s *server) (figures, error) { return s.saturate(ctx, o, st.target(s, r)) })
}

// saturate asks as fast as the answers come.
func (s *server) saturate(ctx context.Context, o options, t target) (figures, error) {
	return s.during(ctx, o, t.streams, func(ctx context.Context, count *atomic.Int64) error {
		conn, err := t.dial(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }()
		for ctx.Err() == nil {
			if err := conn.talk(); err != nil {
				return err
			}
			count.Add(int64(t.streams))
		}
		return nil
	})
}

// handshakes asks for one page on each connection, which is a new one.
func handshakes(resumed bool) func(context.Context, *stage, options, row, int) (map[string]figures, error) {
	return func(ctx context.Context, st *stage, o options, r row, round int) (map[string]figures, error) {
		return st.inTurns(round, func(s *server) (figures, error) {
			return s.during(ctx, o, r.streams, func(ctx context.Context, count *atomic.Int64) error {
				return anew(ctx, st.target(s, r), resumed, count)
			})
		})
	}
}

var errNotResumed = errors.New("a handshake was full that was to resume")

func anew(ctx context.Context, t target, resumed bool, count *atomic.Int64) error {
	if resumed {
		t.sessions = tls.NewLRUClientSessionCache(1)
	}
	for first := true; ctx.Err() == nil; first = false {
		c, err := t.shake(ctx)
		if err != nil {
			return ended(ctx, err)
		}
		if resumed && !first && !c.ConnectionState().DidResume {
			err = errNotResumed
		}
		err = errors.Join(err, newOne(c, t).talk())
		_ = c.Close()
		if err != nil {
			return err
		}
		count.Add(1)
	}
	return nil
}

// ended forgives what the end of a measurement breaks off.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// warmUp is the share of the time that goes before what counts.
const warmUp = 4

// many is so often what is on its way at once: what is half done at the two ends of a
// measurement hardly counts beside it.
const many = 8

// during lets so many connections ask, and reads the server's CPU time and their
// answers in the midst of that.
func (s *server) during(ctx context.Context, o options, streams int, ask func(context.Context, *atomic.Int64) error) (figures, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	counts := make([]atomic.Int64, o.connections)
	for i := range counts {
		group.Go(func() error { return ask(ctx, &counts[i]) })
	}
	f, err := s.between(ctx, o.span, counts, int64(o.connections*streams))
	cancel()
	return f, errors.Join(group.Wait(), err)
}

func (s *server) between(ctx context.Context, span time.Duration, counts []atomic.Int64, atOnce int64) (f figures, err error) {
	for sum(counts) < atOnce && ctx.Err() == nil { // all handshakes are made
		_ = pause(ctx, 5*time.Millisecond)
	}
	if err := pause(ctx, span/warmUp); err != nil {
		return f, nil //nolint:nilerr // whoever ended it says why
	}
	begun, from := time.Now(), sum(counts)
	before, err := s.cpu()
	if err != nil {
		return f, err
	}
	for enough := from + many*atOnce; ; {
		if err := pause(ctx, span); err != nil {
			return f, nil //nolint:nilerr // as above
		}
		if sum(counts) >= enough { // on a machine that has other work it may take longer
			break
		}
	}
	after, err := s.cpu()
	n, took := float64(sum(counts)-from), time.Since(begun)
	used := float64(after-before) - s.rest*float64(took)
	return figures{cpu: time.Duration(used / n), rate: n / took.Seconds(), busy: used / float64(took)}, err
}

func sum(counts []atomic.Int64) (n int64) {
	for i := range counts {
		n += counts[i].Load()
	}
	return n
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

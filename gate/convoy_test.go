package gate_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
)

// TestGate_CrowdTravelsTogether: reserves that come at the same time cost few
// packets, and each hears its own answer.
func TestGate_CrowdTravelsTogether(t *testing.T) {
	t.Parallel()
	rdb := client(t, testserver.Redis(t))
	const crowd, units = 500, 100
	count := &packets{}
	rdb.AddHook(count)
	g := open(t, rdb, units)
	count.n.Store(0)
	var won sync.Map
	var yes, no atomic.Int64
	var wg sync.WaitGroup
	for n := range crowd {
		wg.Go(func() {
			r := request(n)
			switch h, err := g.Reserve(t.Context(), r); {
			case err == nil:
				yes.Add(1)
				if h.Reservation != r.Reservation {
					t.Errorf("somebody else's hold: %+v", h)
				}
				won.Store(h.Reservation, r.Account)
			case errors.Is(err, gate.ErrSoldOut):
				no.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if yes.Load() != units || no.Load() != crowd-units {
		t.Errorf("told %d yes and %d no, want %d and %d", yes.Load(), no.Load(), units, crowd-units)
	}
	if n := count.n.Load(); n > crowd/2 {
		t.Errorf("%d packets for %d reserves, want far fewer", n, crowd)
	}
	holders, ok, err := g.Holders(t.Context(), units)
	if err != nil || !ok || len(holders) != units {
		t.Fatalf("holders %d, %v, %v; want %d", len(holders), ok, err, units)
	}
	for _, h := range holders {
		if account, _ := won.Load(h.Reservation); account != h.Account {
			t.Errorf("holder %+v was told yes as %v", h, account)
		}
	}
	if _, ok, err := g.Holders(t.Context(), units-1); ok || err != nil {
		t.Errorf("holders, at most %d: %v, %v; want that they are too many", units-1, ok, err)
	}
}

// packets counts how often a client sends.
type packets struct{ n atomic.Int64 }

func (p *packets) DialHook(next redis.DialHook) redis.DialHook { return next }

func (p *packets) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error { p.n.Add(1); return next(ctx, cmd) }
}

func (p *packets) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error { p.n.Add(1); return next(ctx, cmds) }
}

// TestGate_ScriptsForgottenOnTheWay: no reserve fails, and none runs twice, while
// the script cache is emptied again and again, also in the middle of pipelines.
func TestGate_ScriptsForgottenOnTheWay(t *testing.T) {
	t.Parallel()
	rdb := client(t, testserver.Redis(t))
	g := open(t, rdb, 2000)
	ctx, stop := context.WithCancel(t.Context())
	var flushes sync.WaitGroup
	flushes.Go(func() {
		for ctx.Err() == nil {
			if err := rdb.ScriptFlush(t.Context()).Err(); err != nil {
				t.Error(err)
			}
		}
	})
	var wg sync.WaitGroup
	for n := range 1000 {
		wg.Go(func() { reserve(t, g, request(n)) })
	}
	wg.Wait()
	stop()
	flushes.Wait()
	if s := look(t, g); s.Left != 1000 || s.Backlog != 1000 {
		t.Errorf("look %+v, want 1000 left and 1000 winners", s)
	}
}

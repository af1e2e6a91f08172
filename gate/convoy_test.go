package gate_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
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

// TestGate_OddQuantities: what is not a whole number from one takes nothing and
// gives nothing.
func TestGate_OddQuantities(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		g := open(t, rdb, 5)
		for _, qty := range []int{-1, 0, -5, 2, 9007199254740993} {
			r := request(1)
			r.Qty, r.Key = qty, strconv.Itoa(qty)
			if h, err := g.Reserve(t.Context(), r); err == nil {
				t.Errorf("%d units: %+v, want an error", qty, h)
			}
		}
		if left := look(t, g).Left; left != 5 {
			t.Errorf("%d units left, want all 5", left)
		}
	})
}

// TestGate_FullRedis: each script happens whole or not at all, and what gives back
// and acknowledges still works.
func TestGate_FullRedis(t *testing.T) {
	t.Parallel()
	s := testserver.StartRedis(t)
	rdb := client(t, s.URL)
	g := open(t, rdb, 5)
	h := reserve(t, g, request(1))
	reader := g.Winners("w")[0]
	ws, err := reader.Read(t.Context(), 10, -1)
	if err != nil || len(ws) != 1 {
		t.Fatalf("winners %v, %v; want one", ws, err)
	}
	before := contents(t, rdb)
	s.Fill()
	if _, err := g.Reserve(t.Context(), request(2)); err == nil || !strings.Contains(err.Error(), "OOM") {
		t.Errorf("Reserve = %v; want that memory is full", err)
	}
	for key, now := range contents(t, rdb) {
		if before[key] != now {
			t.Errorf("%s is %s, want %s as before", key, now, before[key])
		}
	}
	if err := reader.Done(t.Context(), ws[0].Entry); err != nil {
		t.Errorf("Done = %v; want nil", err)
	}
	for _, want := range []bool{true, false} {
		if ok, err := g.Release(t.Context(), "a1", h.Reservation); err != nil || ok != want {
			t.Errorf("Release = %v, %v; want %v", ok, err, want)
		}
	}
	s.Drain()
	if now := look(t, g); now.Left != 5 || now.Backlog != 0 {
		t.Errorf("look %+v, want all 5 left and no winners", now)
	}
	reserve(t, g, request(2))
}

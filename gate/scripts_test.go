package gate_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
)

// onScripts stands between a client and the scripts that it runs.
type onScripts func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error

func (onScripts) DialHook(next redis.DialHook) redis.DialHook { return next }
func (h onScripts) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	one := h.ProcessHook(func(ctx context.Context, cmd redis.Cmder) error {
		if err := next(ctx, []redis.Cmder{cmd}); err != nil {
			return err
		}
		return cmd.Err()
	})
	return func(ctx context.Context, cmds []redis.Cmder) (fault error) {
		for _, cmd := range cmds {
			if err := one(ctx, cmd); fault == nil {
				fault = err
			}
		}
		return fault
	}
}
func (h onScripts) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if !strings.HasPrefix(cmd.Name(), "eval") {
			return next(ctx, cmd)
		}
		err := h(ctx, cmd, next)
		if err != nil {
			cmd.SetErr(err)
		}
		return err
	}
}

// hooked is a gate of its own on the same store.
func hooked(t *testing.T, rdb *redis.Client, h onScripts) *gate.Gate {
	t.Helper()
	tear(t, gate.Load(t.Context(), rdb))
	c := client(t, "redis://"+rdb.Options().Addr)
	c.AddHook(h)
	return gate.New(c, "toy", 1)
}

func embedded(t *testing.T) *redis.Client {
	t.Helper()
	return client(t, testserver.MiniURL(testserver.Mini(t)))
}

func TestGate_AnswersAgainWhenTheReplyWasLost(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		open(t, rdb, 5)
		var lost atomic.Bool
		g := hooked(t, rdb, func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
			err := next(ctx, cmd)
			if err == nil && lost.CompareAndSwap(false, true) {
				return errors.New("connection reset by peer")
			}
			return err
		})
		h := reserve(t, g, request(1))
		if s := look(t, g); !h.Again || s.Left != 4 || s.Backlog != 1 {
			t.Errorf("hold %+v, look %+v; want the first run's hold, 4 left", h, s)
		}
	})
}

func TestGate_AsksAgainAfterASilence(t *testing.T) {
	t.Parallel()
	rdb := embedded(t)
	open(t, rdb, 5)
	var calls atomic.Int64
	g := hooked(t, rdb, func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
		if calls.Add(1) == 1 {
			<-ctx.Done()
			return ctx.Err()
		}
		return next(ctx, cmd)
	})
	begun := time.Now()
	if s := look(t, g); s.Left != 5 {
		t.Errorf("Look = %+v; want 5 left", s)
	}
	if took := time.Since(begun); took < 900*time.Millisecond {
		t.Errorf("gave up after %v; want a second", took)
	}

	calls.Store(0)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := g.Look(ctx); !errors.Is(err, context.DeadlineExceeded) || calls.Load() != 1 {
		t.Errorf("Look beyond the caller's deadline: %v after %d calls; want one call", err, calls.Load())
	}
}

type redisError string

func (e redisError) Error() string { return string(e) }
func (redisError) RedisError()     {}

func TestGate_TakesAnAnswerOfRedisForOne(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	g := hooked(t, embedded(t), func(context.Context, redis.Cmder, redis.ProcessHook) error {
		calls.Add(1)
		return redisError("OOM command not allowed")
	})
	if _, err := g.Reserve(t.Context(), request(1)); err == nil || calls.Load() != 1 {
		t.Errorf("Reserve = %v after %d calls; want the error after one", err, calls.Load())
	}
}

// A reply that is not the one agreed on is an error: read as zeros, it would say
// that the gate is open and everything sold.
func TestGate_RefusesAReplyThatIsNotWhole(t *testing.T) {
	t.Parallel()
	ops := map[string]func(context.Context, *gate.Gate) error{
		"look":    func(ctx context.Context, g *gate.Gate) error { _, err := g.Look(ctx); return err },
		"audit":   func(ctx context.Context, g *gate.Gate) error { _, err := g.Audit(ctx); return err },
		"reserve": func(ctx context.Context, g *gate.Gate) error { _, err := g.Reserve(ctx, request(1)); return err },
		"release": func(ctx context.Context, g *gate.Gate) error { _, err := g.Release(ctx, "a", "r"); return err },
		"drop":    func(ctx context.Context, g *gate.Gate) error { _, err := g.Drop(ctx, "a", "r"); return err },
		"retake":  func(ctx context.Context, g *gate.Gate) error { return g.Retake(ctx, gate.Receipt{}) },
		"tell":    func(ctx context.Context, g *gate.Gate) error { return g.Tell(ctx, gate.Note{}) },
		"find":    func(ctx context.Context, g *gate.Gate) error { _, _, err := g.Find(ctx, "a", "r"); return err },
		"total":   func(ctx context.Context, g *gate.Gate) error { _, err := g.SetTotal(ctx, 1); return err },
		"keep":    func(ctx context.Context, g *gate.Gate) error { return g.Keep(ctx, time.Now()) },
		"close":   func(ctx context.Context, g *gate.Gate) error { return g.Close(ctx, "why") },
		"rebuild": func(ctx context.Context, g *gate.Gate) error {
			_, err := g.Rebuild(ctx, "why", gate.Contents{})
			return err
		},
		"mend": func(ctx context.Context, g *gate.Gate) error { _, err := g.Mend(ctx, nil, nil); return err },
	}
	state := []any{"ok", "1", "1", "0", "5", "5", "0", "0", "", "0", "1", "5", "0", "", "", "1", "0", "0"}
	for name, reply := range map[string][]any{
		"empty":        {},
		"another word": {"fine"},
		"many":         append(append([]any{}, state...), "hold"),
		"no number":    {"ok", "1", "one", "0", "5", "5", "0", "0", "", "0", "1", "5", "0", "", "", "1", "0", "0"},
		"no mark":      {"ok", "1", "1", "0", "5", "5", "0", "0", "", "0", "1", "5", "0", "", "", "1", "0", "zero"},
		"no text":      {"ok", nil},
		"no yes or no": {"ok", "yes"},
		"mark alone":   {"1", "2", "3"},
	} {
		g := hooked(t, embedded(t), func(_ context.Context, cmd redis.Cmder, _ redis.ProcessHook) error {
			cmd.(*redis.Cmd).SetVal(reply)
			return nil
		})
		for op, run := range ops {
			if err := run(t.Context(), g); err == nil {
				t.Errorf("%s read %s reply %v without an error", op, name, reply)
			}
		}
	}
}

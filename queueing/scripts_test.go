package queueing_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/queueing"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	rdb := newVirtual(t).rdb
	if err := queueing.Load(t.Context(), rdb); err != nil {
		t.Fatal(err)
	}
	only := &onlyCached{}
	rdb.AddHook(only)
	l := queueing.NewLine(rdb, saleAt(time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC), 0, 10, 5))
	enter(t, l, 1)
	tick(t, l)
	if _, err := l.Claim(t.Context(), at(0)); errors.Is(err, errNotCached) {
		t.Error(err)
	}
	if err := l.Pause(t.Context()); err != nil {
		t.Error(err)
	}
	if err := rdb.Close(); err != nil {
		t.Fatal(err)
	}
	if err := queueing.Load(t.Context(), rdb); !errors.Is(err, redis.ErrClosed) || !strings.HasPrefix(err.Error(), "load line scripts: ") {
		t.Errorf("Load = %v, want what it did, and the cause", err)
	}
}

var errNotCached = errors.New("a script was sent whole")

// onlyCached lets no script through that Redis does not have.
type onlyCached struct{}

func (*onlyCached) DialHook(next redis.DialHook) redis.DialHook { return next }
func (*onlyCached) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (*onlyCached) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() == "eval" {
			cmd.SetErr(errNotCached)
			return errNotCached
		}
		return next(ctx, cmd)
	}
}

// A reply that is not the one agreed on is an error.
func TestLineRefusesAReplyThatIsNotWhole(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	l := queueing.NewLine(v.rdb, saleAt(v.now, 0, 10, 5))
	answer := &answers{}
	v.rdb.AddHook(answer)
	for name, reply := range map[string][]any{
		"empty":        {},
		"another word": {"fine"},
		"too many":     {"fine", "1", "2", "0", "0"},
		"no text":      {nil, "1"},
	} {
		answer.reply = reply
		if _, err := l.Enter(t.Context(), queueing.Entry{}); err == nil {
			t.Errorf("Enter read the %s reply %v", name, reply)
		}
		if _, err := l.Tick(t.Context(), true, queueing.Stock{}); err == nil {
			t.Errorf("Tick read the %s reply %v", name, reply)
		}
		if _, err := l.Claim(t.Context(), at(0)); err == nil {
			t.Errorf("Claim read the %s reply %v", name, reply)
		}
		if err := l.Pause(t.Context()); err == nil {
			t.Errorf("Pause read the %s reply %v", name, reply)
		}
	}
}

// answers stands in for Redis.
type answers struct{ reply []any }

func (*answers) DialHook(next redis.DialHook) redis.DialHook { return next }
func (*answers) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (a *answers) ProcessHook(redis.ProcessHook) redis.ProcessHook {
	return func(_ context.Context, cmd redis.Cmder) error {
		cmd.(*redis.Cmd).SetVal(a.reply)
		return nil
	}
}

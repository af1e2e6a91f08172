package gate_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
)

// orders is the size of the sale; WAITROOM_ORDERS=100000 plays a large one.
func orders() int {
	if n, err := strconv.Atoi(os.Getenv("WAITROOM_ORDERS")); err == nil {
		return n
	}
	return 5_000
}

// widest watches what goes to Redis and comes back.
type widest struct {
	mu   sync.Mutex
	said int // bytes of the longest question
	told int // fields of the longest answer
	n    int
}

func (w *widest) DialHook(next redis.DialHook) redis.DialHook { return next }
func (w *widest) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.n++
		w.said = max(w.said, len(fmt.Sprint(cmd.Args())))
		if c, ok := cmd.(*redis.Cmd); ok {
			answer, _ := c.Slice()
			w.told = max(w.told, len(answer))
		}
		return err
	}
}
func (w *widest) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// No script works for long, whatever the sale's size: what is long goes in parts. How
// long they take is logged, for a busy machine takes what it likes.
func TestGate_NoScriptIsLong(t *testing.T) {
	t.Parallel()
	rdb := client(t, testserver.StartRedis(t).URL)
	tear(t, gate.Load(t.Context(), rdb))
	tear(t, rdb.ConfigSet(t.Context(), "slowlog-log-slower-than", "5000").Err())
	w := &widest{}
	rdb.AddHook(w)
	n := orders()
	held, notes := make([]gate.Live, n), make([]gate.Note, n)
	for i := range held {
		held[i] = live(fmt.Sprintf("00000000-0000-4000-8000-%012d", i), fmt.Sprint("account ", i), fmt.Sprint("ticket ", i))
		notes[i] = held[i].Note
	}
	g := gate.New(rdb, "toy", 1)
	for _, step := range []struct {
		what string
		do   func()
	}{
		{"rebuild", func() { build(t, g, gate.Contents{Epoch: 1, Total: 2 * n, Live: held}) }},
		{"rebuild over the last one", func() { build(t, g, gate.Contents{Epoch: 2, Total: 2 * n, Live: held}) }},
		{"audit", func() { whole(t, g, 2*n, n) }},
		{"tell again", func() {
			if lost, err := g.Retell(t.Context(), notes); lost != 0 || err != nil {
				t.Errorf("Retell = %d, %v; want none", lost, err)
			}
		}},
		{"mend", func() {
			tear(t, rdb.Unlink(t.Context(), tag+"receipts").Err())
			if m, err := g.Mend(t.Context(), held, nil); err != nil || m != (gate.Mended{Restored: n}) {
				t.Errorf("Mend = %+v, %v; want %d restored", m, err, n)
			}
		}},
	} {
		tear(t, rdb.SlowLogReset(t.Context()).Err())
		w.said, w.told, w.n = 0, 0, 0
		began := time.Now()
		step.do()
		took := time.Since(began)
		slow, err := rdb.SlowLogGet(t.Context(), -1).Result()
		tear(t, err)
		t.Logf("%s of %d orders: %v, %d commands, %d of them above 5 ms", step.what, n, took.Round(time.Millisecond), w.n, len(slow))
		if w.said > 20_000 || w.told > 1_000 {
			t.Errorf("%s: a question of %d bytes, an answer of %d fields; want pages", step.what, w.said, w.told)
		}
	}
}

// What reads a whole key takes the longer the larger the sale is.
func TestScripts_ReadNoKeyWhole(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("lua/*.lua")
	tear(t, err)
	for _, file := range scripts {
		text, err := os.ReadFile(file)
		tear(t, err)
		for _, command := range []string{"HGETALL", "HVALS", "HKEYS", "'XRANGE', KEYS[4], '-'"} {
			if strings.Contains(string(text), command) {
				t.Errorf("%s uses %s; want pages", file, command)
			}
		}
	}
	if len(scripts) < 20 {
		t.Errorf("%d scripts; want all", len(scripts))
	}
}

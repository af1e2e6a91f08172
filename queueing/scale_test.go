package queueing_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/queueing"
)

// What a crowd may cost Redis, whatever its size: each edge makes a call in
// callPause at most, the line's hash stays as small as it is, and each place that
// claims is one bit of a bitmap, of which there are two and which grow by
// doubling. bench/entries does the same with a million.
const (
	callPause = 5 * time.Millisecond
	maxHash   = 4 << 10 // bytes, with the published picture
	busy      = 500     // of a crowd at a time, at each edge
)

func maxBitmaps(places int) int64 { return 2 * 2 * int64(places) / 8 }

func TestCrowdCostsRedisLittle(t *testing.T) {
	t.Parallel()
	const entries, claims, edges = 100_000, 30_000, 3
	rdb := client(t, testserver.Redis(t))
	if err := queueing.Load(t.Context(), rdb); err != nil {
		t.Fatal(err)
	}
	lines := func(untilOpen time.Duration) (all []*queueing.Line) {
		sale := saleAt(time.Now(), untilOpen, 100_000, 10_000)
		for range edges {
			all = append(all, queueing.NewLine(rdb, sale))
		}
		return all
	}

	numbers := make([]atomic.Bool, entries)
	calls, took := cost(t, rdb, func() {
		everyone(t, lines(time.Hour), entries, func(ctx context.Context, l *queueing.Line, _ uint64) error {
			n, err := l.Enter(ctx, queueing.Entry{})
			if err == nil && (n.Value >= entries || numbers[n.Value].Swap(true)) {
				err = fmt.Errorf("number %d given twice, or beyond %d", n.Value, entries)
			}
			return err
		})
	})
	t.Logf("%d entries: %d calls in %v, %d bytes", entries, calls, took, memory(t, rdb))
	if most := edges * (int64(took/callPause) + 1); calls > most {
		t.Errorf("%d calls for %d entries in %v, want at most %d: one in %v at each edge", calls, entries, took, most, callPause)
	}
	if got := memory(t, rdb); got > maxHash {
		t.Errorf("%d entries take %d bytes, want at most %d", entries, got, maxHash)
	}

	open := lines(0)
	for snap := tick(t, open[0]); snap.Head < claims; snap = tick(t, open[0]) {
		if snap.DrawnCount != entries {
			t.Fatalf("%d were drawn, want %d", snap.DrawnCount, entries)
		}
		time.Sleep(50 * time.Millisecond) // of Redis's clock
	}
	everyone(t, open, claims, claimed)
	t.Logf("and %d claims: %d bytes", claims, memory(t, rdb))
	if got, most := memory(t, rdb), maxHash+maxBitmaps(claims); got > most {
		t.Errorf("%d claims take %d bytes, want at most %d", claims, got, most)
	}
}

// A burst on one edge costs no more calls than its time allows, however many
// come at once.
func TestBurstIsAFewHundredCallsASecond(t *testing.T) {
	t.Parallel()
	rdb := client(t, testserver.Redis(t))
	if err := queueing.Load(t.Context(), rdb); err != nil {
		t.Fatal(err)
	}
	l := queueing.NewLine(rdb, saleAt(time.Now(), time.Hour, 100, 10))
	for _, burst := range []int{1, 10, 1000, 20_000} {
		calls, took := cost(t, rdb, func() {
			everyone(t, []*queueing.Line{l}, burst, func(ctx context.Context, l *queueing.Line, _ uint64) error {
				_, err := l.Enter(ctx, queueing.Entry{})
				return err
			})
		})
		if most := int64(took/callPause) + 1; calls > most || calls == 0 {
			t.Errorf("%d at once: %d calls in %v, want at most %d", burst, calls, took, most)
		}
	}
}

// everyone lets n people do something, at all edges at once. A fault of one ends
// it for all.
func everyone(t *testing.T, lines []*queueing.Line, n int, do func(context.Context, *queueing.Line, uint64) error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var next atomic.Int64
	var all sync.WaitGroup
	for _, l := range lines {
		for range min(busy, n) {
			all.Go(func() {
				for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
					if err := do(ctx, l, uint64(i)); err != nil {
						cancel(err)
						return
					}
				}
			})
		}
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		t.Fatal(err)
	}
}

// claimed asks for a place's pass until there is one.
func claimed(ctx context.Context, l *queueing.Line, place uint64) error {
	for {
		got, err := l.Claim(ctx, at(place))
		wait, ok := errors.AsType[*queueing.WaitError](err)
		switch {
		case err == nil && got.Again:
			return fmt.Errorf("place %d had a pass already", place)
		case !ok:
			return err
		}
		timer := time.NewTimer(wait.Retry)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// cost counts, on the server, the scripts that are called meanwhile.
func cost(t *testing.T, rdb redis.UniversalClient, do func()) (calls int64, took time.Duration) {
	t.Helper()
	before, begun := scriptCalls(t, rdb), time.Now()
	do()
	took = time.Since(begun)
	return scriptCalls(t, rdb) - before, took
}

func scriptCalls(t *testing.T, rdb redis.UniversalClient) (calls int64) {
	t.Helper()
	info, err := rdb.Info(t.Context(), "commandstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(info) {
		var n int64
		if name, rest, _ := strings.Cut(line, ":"); strings.HasPrefix(name, "cmdstat_eval") {
			if _, err := fmt.Sscanf(rest, "calls=%d,", &n); err != nil {
				t.Fatalf("commandstats: %q: %v", line, err)
			}
		}
		calls += n
	}
	return calls
}

// memory is what all keys take, by the server's own account.
func memory(t *testing.T, rdb redis.UniversalClient) (total int64) {
	t.Helper()
	keys, err := rdb.Keys(t.Context(), "*").Result()
	for _, key := range keys {
		var n int64
		if n, err = rdb.MemoryUsage(t.Context(), key, 0).Result(); err != nil {
			break
		}
		total += n
	}
	if err != nil || len(keys) == 0 {
		t.Fatalf("memory of the keys %q: %v", keys, err)
	}
	return total
}

// A place is arithmetic: it costs the same among ten million as among ten, and
// leaves nothing behind.
func TestPlaceTakesNoMemory(t *testing.T) { // alone: it counts the process's allocations
	for _, n := range []uint64{10, 1_000_000, 10_000_000} {
		d, number := queueing.NewDraw(queueing.Seed{1}, "golden-toy", n, ""), uint64(0)
		if got := testing.AllocsPerRun(1000, func() { d.Place(number % n); number += 7919 }); got != 0 {
			t.Errorf("a place among %d: %v allocations, want none", n, got)
		}
	}
}

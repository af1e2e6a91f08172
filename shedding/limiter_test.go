package shedding_test

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/shedding"
)

// start has no monotonic reading: the clock of these tests may step backwards.
var start = time.Date(2026, time.November, 27, 10, 0, 0, 0, time.UTC)

func perSecond(count int) configs.Limit {
	return configs.Limit{Rate: configs.Rate{Count: count, Per: time.Second}}
}

func TestLimiterSteps(t *testing.T) {
	t.Parallel()
	type step struct {
		at    time.Duration
		retry time.Duration
		ok    bool
	}
	const ms = time.Millisecond

	var long []step
	for range 100 {
		long = append(long, step{0, 0, true})
	}
	for i := range 21 { // told once, then twenty attempts too early
		long = append(long, step{0, time.Duration(i+1) * 100 * ms, false})
	}
	long = append(long, step{0, 2100 * ms, false}, step{2100 * ms, 0, true})

	for _, test := range []struct {
		name  string
		limit configs.Limit
		burst int
		steps []step
	}{
		{"a burst, then the rate", perSecond(10), 2, []step{
			{0, 0, true}, {0, 0, true}, {0, 100 * ms, false}, {100 * ms, 0, true}, {200 * ms, 0, true},
		}},
		{"no burst is a burst of one", perSecond(10), 0, []step{
			{0, 0, true}, {0, 100 * ms, false}, {100 * ms, 0, true},
		}},
		{"the first refusal is free", perSecond(10), 2, []step{
			{0, 0, true}, {0, 0, true}, {50 * ms, 50 * ms, false}, {100 * ms, 0, true},
		}},
		{"hammering costs up to the burst, once", perSecond(10), 2, []step{
			{0, 0, true}, {0, 0, true}, {0, 100 * ms, false},
			{0, 200 * ms, false}, {0, 300 * ms, false},
			{0, 300 * ms, false}, {100 * ms, 200 * ms, false}, {290 * ms, 10 * ms, false},
			{300 * ms, 0, true},
		}},
		{"a yes forgives", perSecond(10), 1, []step{
			{0, 0, true}, {0, 100 * ms, false}, {0, 200 * ms, false}, {200 * ms, 0, true},
			{200 * ms, 100 * ms, false}, {300 * ms, 0, true},
		}},
		{"hammering costs two seconds at most", perSecond(10), 100, long},
		{"a slow rate is not overdrawn", configs.Limit{Rate: configs.Rate{Count: 1, Per: time.Hour}}, 1, []step{
			{0, 0, true}, {0, time.Hour, false}, {0, time.Hour, false}, {time.Hour, 0, true},
		}},
		{"a step backwards neither locks out", perSecond(10), 1, []step{
			{0, 0, true}, {-time.Hour, 100 * ms, false}, {-time.Hour + 100*ms, 0, true},
		}},
		{"nor refills", perSecond(10), 3, []step{
			{0, 0, true}, {0, 0, true}, {-time.Hour, 0, true}, {-2 * time.Hour, 100 * ms, false},
		}},
		{"a step forwards refills the burst at most", perSecond(10), 2, []step{
			{0, 0, true}, {0, 0, true}, {2 * time.Hour, 0, true}, {2 * time.Hour, 0, true}, {2 * time.Hour, 100 * ms, false},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			limiter := shedding.NewLimiter(test.limit, test.burst, 10)
			for i, s := range test.steps {
				retry, ok := limiter.Allow("key", start.Add(s.at))
				if ok != s.ok || (retry-s.retry).Abs() > time.Microsecond {
					t.Errorf("step %d at %v: Allow = %v, %t, want %v, %t", i, s.at, retry, ok, s.retry, s.ok)
				}
			}
		})
	}
}

func TestNoLimit(t *testing.T) {
	t.Parallel()
	off := perSecond(1)
	off.Off = true
	for name, limiter := range map[string]*shedding.Limiter{
		"off":     shedding.NewLimiter(off, 1, 1),
		"no rate": shedding.NewLimiter(configs.Limit{}, 1, 1),
		"nil":     nil,
	} {
		for i := range 1000 {
			if retry, ok := limiter.Allow("key", start); !ok || retry != 0 {
				t.Fatalf("%s: Allow number %d = %v, %t, want 0s, true", name, i, retry, ok)
			}
		}
		if got := limiter.Len(); got != 0 {
			t.Errorf("%s: Len() = %d, want 0", name, got)
		}
	}
}

// Whoever comes back no sooner than told is served as by x/time/rate.
func TestLimiterEqualsRateForThePatient(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		perSec, burst := 1+random.IntN(1000), 1+random.IntN(50)
		limiter := shedding.NewLimiter(perSecond(perSec), burst, 10)
		reference := rate.NewLimiter(rate.Limit(perSec), burst)
		now := start
		for i := range 500 {
			retry, ok := limiter.Allow("key", now)
			if want := reference.AllowN(now, 1); ok != want {
				t.Fatalf("round %d, call %d, %d/s burst %d: Allow = %t, rate.Limiter says %t", round, i, perSec, burst, ok, want)
			}
			pause := time.Duration(random.Int64N(int64(2 * time.Second / time.Duration(perSec))))
			if random.IntN(2) == 0 {
				pause = 0
			}
			if !ok { // a microsecond more than told: exactly there, rounding decides
				pause = max(pause, retry+time.Microsecond)
			}
			now = now.Add(pause)
		}
	}
}

// The wait that is told is the wait there is: a nanosecond or so less is too
// early, and exactly so much is enough, however the key has behaved before.
func TestRetryIsTheRealWait(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 500 {
		limit := configs.Limit{Rate: configs.Rate{Count: 1 + random.IntN(300), Per: time.Minute}}
		if round%2 == 0 {
			limit.Rate.Per = time.Second
		}
		burst, now := 1+random.IntN(20), start
		early := shedding.NewLimiter(limit, burst, 10)
		exact := shedding.NewLimiter(limit, burst, 10)
		var retry time.Duration
		for range burst + random.IntN(40) {
			now = now.Add(time.Duration(random.IntN(int(time.Millisecond))))
			early.Allow("key", now)
			retry, _ = exact.Allow("key", now)
		}
		if retry == 0 {
			continue
		}
		if _, ok := early.Allow("key", now.Add(retry-time.Microsecond)); ok {
			t.Errorf("round %d: told %v, served a microsecond earlier", round, retry)
		}
		if again, ok := exact.Allow("key", now.Add(retry)); !ok {
			t.Errorf("round %d: told %v, then refused for another %v", round, retry, again)
		}
	}
}

// However a key hammers and however the clock steps, it gets no more than the
// burst and the rate, and is never shut out: each two seconds and one interval
// it gets through once.
func TestHammeringIsBoundedBothWays(t *testing.T) {
	t.Parallel()
	const perSec, burst, seconds = 5, 5, 120
	limiter := shedding.NewLimiter(perSecond(perSec), burst, 10)
	allowed, last := 0, start
	for now := start; now.Before(start.Add(seconds * time.Second)); now = now.Add(10 * time.Millisecond) {
		if _, ok := limiter.Allow("key", now); ok {
			allowed++
			last = now
		}
		if quiet := now.Sub(last); quiet > 2200*time.Millisecond {
			t.Fatalf("refused for %v on end, want at most 2.2s", quiet)
		}
	}
	if most := burst + perSec*seconds; allowed > most {
		t.Errorf("%d allowed in %d s, want at most %d", allowed, seconds, most)
	}
	if patient := perSec * seconds; allowed > patient/2 {
		t.Errorf("%d allowed in %d s, want hammering to cost more than half of %d", allowed, seconds, patient)
	}
}

func TestKeysAreIndependent(t *testing.T) {
	t.Parallel()
	limiter := shedding.NewLimiter(perSecond(1), 1, 10_000)
	for i := range 1000 {
		key := strconv.Itoa(i)
		if _, ok := limiter.Allow(key, start); !ok {
			t.Fatalf("the first call of key %s was refused", key)
		}
		if _, ok := limiter.Allow(key, start); ok {
			t.Fatalf("the second call of key %s was allowed", key)
		}
	}
}

func TestLimiterUnderRace(t *testing.T) {
	t.Parallel()
	const burst = 100
	limiter := shedding.NewLimiter(configs.Limit{Rate: configs.Rate{Count: 1, Per: time.Hour}}, burst, 4096)
	var allowed atomic.Int64
	var wg sync.WaitGroup
	for worker := range 64 {
		wg.Go(func() {
			for i := range 50 {
				if _, ok := limiter.Allow("shared", start); ok {
					allowed.Add(1)
				}
				limiter.Allow(strconv.Itoa(worker*50+i), start)
				limiter.Len()
			}
		})
	}
	wg.Wait()
	if got := allowed.Load(); got != burst {
		t.Errorf("%d calls of one key allowed at one instant, want %d", got, burst)
	}
}

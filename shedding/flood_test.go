package shedding_test

import (
	"fmt"
	"net/netip"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/shedding"
)

func perMinute(count int) configs.Limit {
	return configs.Limit{Rate: configs.Rate{Count: count, Per: time.Minute}}
}

var million = 1_000_000 // fewer with the race detector

// A million keys in a minute, where a key is in use for a fifth of a second: each is
// limited, what is kept are those in use, and it is gone when they are, though nobody
// comes.
func TestAMillionKeys(t *testing.T) {
	t.Parallel()
	const keys = 1 << 16
	limiter := shedding.NewLimiter(perMinute(300), 1, keys)
	now, most := start, 0
	for i := range million {
		key := strconv.Itoa(i)
		if _, ok := limiter.Allow(key, now); !ok {
			t.Fatalf("the first call of key %d was refused", i)
		}
		if i%100 == 0 {
			if _, ok := limiter.Allow(key, now); ok {
				t.Fatalf("the second call of key %d was allowed", i)
			}
			most = max(most, limiter.Len())
		}
		now = now.Add(time.Minute / time.Duration(million))
	}
	// 3,333 are in use at a time.
	if most > 8_000 {
		t.Errorf("up to %d keys were kept, want about what is in use", most)
	}
	for range 100 {
		limiter.Sweep(now.Add(time.Second))
	}
	if got := limiter.Len(); got != 0 {
		t.Errorf("%d keys are kept after the flood and a hundred sweeps", got)
	}
}

// What is kept when every key that fits is in use, in bytes, and what of it is left
// when the flood has gone.
func TestMemoryOfALimiter(t *testing.T) { // alone, for it measures the process
	const keys = 1 << 16
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	limiter := shedding.NewLimiter(perMinute(1), 1, keys)
	now := start
	for i := range million {
		limiter.Allow(strconv.Itoa(i), now)
		now = now.Add(time.Minute / time.Duration(million))
	}
	full, kept := heap()-before, limiter.Len()
	for range 200 {
		limiter.Sweep(now.Add(time.Hour))
	}
	left := heap() - before
	t.Logf("%d buckets are %d bytes, %d each; %d after the flood", kept, full, full/int64(kept), left)
	if kept > keys+keys/8 {
		t.Errorf("%d buckets are kept, want %d at most", kept, keys+keys/8)
	}
	if full > 12<<20 {
		t.Errorf("they take %d bytes, want 12 MiB at most", full)
	}
	if left > 1<<20 {
		t.Errorf("%d bytes are left after the flood, want 1 MiB at most", left)
	}
	runtime.KeepAlive(limiter)
}

// Whoever cycles over more keys than fit, of one block, gets no more by it, while
// honest newcomers and who comes back are served as ever.
func TestAFloodOfMoreKeysThanFit(t *testing.T) {
	t.Parallel()
	const keys, seconds, perSec = 4096, 120, 1500
	for _, test := range []struct {
		name   string
		attack func(i int) netip.Addr
		blocks int // of which the attack is
	}{
		{"one /48", func(i int) netip.Addr { return sixth(1, i%65536) }, 1},
		{"four /48", func(i int) netip.Addr { return sixth(1+i%4, i/4%65536) }, 4},
		{"one /16", func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}) }, 256},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			const rate, burst = 1, 1 // one a minute
			limiter := shedding.NewAddressLimiter(perMinute(rate), burst, keys)
			now, taken := start, 0
			var honest, back, told [2]int // asked, allowed
			ask := func(n *[2]int, addr netip.Addr) {
				n[0]++
				if _, ok := limiter.Allow(shedding.AddressKey(addr), now); ok {
					n[1]++
				}
			}
			for i := range seconds * perSec {
				var attacker [2]int
				ask(&attacker, test.attack(i))
				taken += attacker[1]
				if i%15 == 0 { // a hundred a second, each of a block of its own
					person := i / 15
					ask(&honest, sixth(1000+person, 1))
					if minute := 61 * 100; person >= minute { // and once more when it may
						ask(&back, sixth(1000+person-minute, 1))
					}
					ask(&told, sixth(1000+person, 1)) // and at once, when it may not
				}
				now = now.Add(time.Second / perSec)
			}
			fits := keys + keys/8
			most := fits*(1+seconds/60) + test.blocks*256*(1+seconds/60)
			t.Logf("the flood got %d of %d, newcomers %d of %d, who came back %d of %d, who came back at once %d of %d",
				taken, seconds*perSec, honest[1], honest[0], back[1], back[0], told[1], told[0])
			if taken > most {
				t.Errorf("the flood got %d, want %d at most", taken, most)
			}
			// Of 512 buckets for who begins, some are the flood's as well.
			if honest[1] < honest[0]*98/100 || back[1] < back[0]*98/100 {
				t.Error("honest ones are refused")
			}
			if told[1] > 0 {
				t.Errorf("%d newcomers got more than their bucket", told[1])
			}
		})
	}
}

// sixth is an address of a /64 of a /48.
func sixth(block, part int) netip.Addr {
	return netip.MustParseAddr(fmt.Sprintf("2001:%x:%x:%x::1", block>>16, block&0xffff, part))
}

// Whoever hammers is still known when a flood has taken every other place.
func TestHammerersStayKnown(t *testing.T) {
	t.Parallel()
	const keys, hammerers = 2048, 200
	limiter := shedding.NewLimiter(perMinute(10), 10, keys)
	now := start
	for range 30 {
		for i := range hammerers {
			limiter.Allow("hammerer "+strconv.Itoa(i), now)
		}
	}
	for i := range 20_000 {
		limiter.Allow(strconv.Itoa(i), now)
		now = now.Add(100 * time.Microsecond)
	}
	free := 0
	for i := range hammerers {
		if _, ok := limiter.Allow("hammerer "+strconv.Itoa(i), now); ok {
			free++
		}
	}
	if free > hammerers/50 {
		t.Errorf("%d of %d hammerers are free again after a flood of others", free, hammerers)
	}
}

// What is given back is there again, exactly, and never more than there was.
func TestGiveBack(t *testing.T) {
	t.Parallel()
	limiter := shedding.NewCap(perMinute(1), 3, 10)
	for range 5 {
		limiter.GiveBack("key", start) // of nothing that is known
	}
	for i := range 3 {
		if _, ok := limiter.Allow("key", start); !ok {
			t.Fatalf("token %d of 3 is refused", i)
		}
	}
	limiter.GiveBack("key", start)
	if _, ok := limiter.Allow("key", start); !ok {
		t.Error("what was given back is refused")
	}
	if _, ok := limiter.Allow("key", start); ok {
		t.Error("more was allowed than given back")
	}
	for range 5 {
		limiter.GiveBack("key", start)
	}
	for i := range 4 {
		if _, ok := limiter.Allow("key", start); ok != (i < 3) {
			t.Errorf("token %d of 3: %t", i, ok)
		}
	}
}

// A cap counts what is given: attempts that are refused neither take nor delay.
func TestCapCountsWhatIsGiven(t *testing.T) {
	t.Parallel()
	limiter := shedding.NewCap(perMinute(6), 2, 10)
	for i := range 100 {
		if _, ok := limiter.Allow("block", start); ok != (i < 2) {
			t.Fatalf("attempt %d: %t", i, ok)
		}
	}
	if retry, ok := limiter.Allow("block", start); ok || retry != 10*time.Second {
		t.Errorf("after a hundred attempts: %v, %t, want 10s", retry, ok)
	}
	if _, ok := limiter.Allow("block", start.Add(10*time.Second)); !ok {
		t.Error("refused when the next was due")
	}
}

// Sixty-four goroutines that take and give back, with clocks a little apart, end with
// exactly as many as there are.
func TestCapUnderRace(t *testing.T) {
	t.Parallel()
	const burst = 1000
	limiter := shedding.NewCap(configs.Limit{Rate: configs.Rate{Count: 1, Per: 24 * time.Hour}}, burst, 4096)
	var given atomic.Int64
	var all sync.WaitGroup
	for worker := range 64 {
		all.Go(func() {
			for i := range 100 {
				now := start.Add(time.Duration(worker*i%7) * time.Millisecond)
				if _, ok := limiter.Allow("block", now); !ok {
					continue
				}
				if (worker+i)%3 == 0 {
					limiter.GiveBack("block", now)
					continue
				}
				given.Add(1)
			}
		})
	}
	all.Wait()
	for {
		if _, ok := limiter.Allow("block", start); !ok {
			break
		}
		given.Add(1)
	}
	if got := given.Load(); got != burst {
		t.Errorf("%d were given, want %d", got, burst)
	}
}

// Callers that do not arrive in the order in which they read the clock get no more
// than the burst and the rate.
func TestCallersOutOfOrder(t *testing.T) {
	t.Parallel()
	const perSec, burst = 100, 10
	for _, lag := range []time.Duration{time.Millisecond, 50 * time.Millisecond, 900 * time.Millisecond} {
		limiter := shedding.NewLimiter(perSecond(perSec), burst, 10)
		allowed, now := 0, start
		for i := range 20_000 {
			at := now
			if i%2 == 1 {
				at = now.Add(-lag)
			}
			if _, ok := limiter.Allow("key", at); ok {
				allowed++
			}
			now = now.Add(time.Millisecond)
		}
		if most := burst + 20*perSec; allowed > most {
			t.Errorf("%v apart: %d allowed in 20 s, want %d at most", lag, allowed, most)
		}
	}
}

// Sixty-four goroutines take of one bucket while the clock is set back by an hour and
// on by two: what they get in ten minutes stays within two in a hundred of the rate,
// and a burst for the step ahead.
func TestClockStepsUnderRace(t *testing.T) {
	t.Parallel()
	const perSec, burst, ticks = 10, 10, 60_000 // of 10 ms
	limiter := shedding.NewLimiter(perSecond(perSec), burst, 10)
	var tick, allowed atomic.Int64
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for {
				n := tick.Add(1)
				if n > ticks {
					return
				}
				now := start.Add(time.Duration(n) * 10 * time.Millisecond)
				switch {
				case n > 40_000:
					now = now.Add(time.Hour)
				case n > 20_000:
					now = now.Add(-time.Hour)
				}
				retry, ok := limiter.Allow("key", now)
				if ok {
					allowed.Add(1)
				}
				if retry > 2*time.Second+200*time.Millisecond {
					t.Errorf("told to wait for %v", retry)
				}
			}
		})
	}
	all.Wait()
	// Hammering costs half of the rate, so it is the upper bound that says something,
	// and that nobody is shut out.
	got, most := allowed.Load(), int64(burst+ticks/100*perSec*102/100+burst)
	if got > most || got < 200 {
		t.Errorf("%d were allowed, want from 200 to %d", got, most)
	}
}

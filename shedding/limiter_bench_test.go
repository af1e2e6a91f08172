package shedding_test

import (
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/waitroom/waitroom/shedding"
)

// plain is what a limiter would be without bounds: a map of rate.Limiters behind one
// lock.
type plain struct {
	mu    sync.Mutex
	keys  map[string]*rate.Limiter
	limit rate.Limit
	burst int
}

func (p *plain) Allow(key string, now time.Time) (time.Duration, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.keys[key]
	if l == nil {
		l = rate.NewLimiter(p.limit, p.burst)
		p.keys[key] = l
	}
	return 0, l.AllowN(now, 1)
}

// BenchmarkLimiter beside a plain map: for a key that is known, one that is refused,
// new ones below and beyond what fits, and 64 goroutines with keys of their own.
func BenchmarkLimiter(b *testing.B) {
	const fits = 1 << 16
	names := make([]string, 1<<19)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	type allow = func(key string, now time.Time) (time.Duration, bool)
	for _, peer := range []struct {
		name string
		make func(perSec, burst int) allow
	}{
		{"ours", func(perSec, burst int) allow { return shedding.NewLimiter(perSecond(perSec), burst, fits).Allow }},
		{"plain", func(perSec, burst int) allow {
			return (&plain{keys: map[string]*rate.Limiter{}, limit: rate.Limit(perSec), burst: burst}).Allow
		}},
	} {
		one := func(name string, perSec, burst int, key func(i int) string, step time.Duration) {
			b.Run(name+"/"+peer.name, func(b *testing.B) {
				take, now, i := peer.make(perSec, burst), start, 0
				b.ReportAllocs()
				for b.Loop() {
					take(key(i), now)
					now = now.Add(step)
					i++
				}
			})
		}
		one("known", 1_000_000, 1000, func(int) string { return "key" }, time.Millisecond)
		one("refused", 1, 1, func(int) string { return "key" }, 0)
		one("new", 1_000_000, 1, func(i int) string { return names[i%len(names)] }, time.Millisecond)
		one("new, full", 1, 1, func(i int) string { return names[i%len(names)] }, time.Nanosecond)

		b.Run("known, 64 goroutines/"+peer.name, func(b *testing.B) {
			take, next := peer.make(1000, 1000), atomic.Int64{}
			b.SetParallelism(64)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				i := int(next.Add(1)) * 1000
				for pb.Next() {
					i = (i + 1) & math.MaxInt16
					take(names[i], start)
				}
			})
		})
	}
}

package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/waitroom/waitroom/ledger"
)

// However often a worker starts anew, no time t sees more than a batch and
// perSecond × t.
func TestPaceHoldsOverRestarts(t *testing.T) {
	t.Parallel()
	for _, perSecond := range []int{1, 3, 50, 500, 7000, 100_000} {
		for _, life := range []time.Duration{time.Millisecond, 70 * time.Millisecond, time.Second, time.Hour} {
			t.Run(fmt.Sprint(perSecond, life), func(t *testing.T) {
				t.Parallel()
				start := time.Unix(0, 0)
				var written []time.Duration // when each was, in order
				now := time.Duration(0)
				pace, most := ledger.NewPace(perSecond, start)
				for end := now + life; now < 20*time.Second && len(written) < 20_000; now += time.Millisecond {
					if now >= end {
						pace, most = ledger.NewPace(perSecond, start.Add(now))
						end = now + life
					}
					for range 20 { // as much as it allows at this instant
						n := 1 + len(written)%most
						if !pace.AllowN(start.Add(now), n) {
							break
						}
						for range n {
							written = append(written, now)
						}
					}
				}
				for first := 0; first < len(written); first += 1 + len(written)/500 {
					for last := first; last < len(written); last += 1 + len(written)/500 {
						span := (written[last] - written[first]).Seconds()
						if n, limit := last-first+1, float64(most)+span*float64(perSecond)+1e-6; float64(n) > limit {
							t.Fatalf("%d in %.3f s, want at most %.1f", n, span, limit)
						}
					}
				}
			})
		}
	}
}

func TestPaceAllowsWhatItSays(t *testing.T) {
	t.Parallel()
	for perSecond, want := range map[int]int{0: 100, 1: 1, 4: 1, 500: 100, 5000: 1000, 100_000: 1000} {
		if _, most := ledger.NewPace(perSecond, time.Now()); most != want {
			t.Errorf("%d a second: got batches of %d, want %d", perSecond, most, want)
		}
	}
}

// A running worker keeps to it, too, and its end does not hurry it.
func TestWorkerKeepsItsPace(t *testing.T) {
	each(t, 100, func(s *shop) {
		s.section.OrdersPerSecond = 20
		s.begin(1)
		s.open()
		s.reserveAll(60)
		written := func() int {
			c, err := s.books.Counts(s.Context(), s.sale.Key)
			check(s.TB, err)
			return c.Pending
		}
		began := time.Now()
		for range 3 {
			before := written()
			stop := s.run(s.worker)
			s.soon("an order more", func() bool { return written() > before })
			stop()
			s.worker = s.newWorker(s.section)
		}
		n, most := written(), 4+20*time.Since(began).Seconds()
		if float64(n) > most {
			s.Errorf("written: got %d, want at most %.0f", n, most)
		}
	})
}

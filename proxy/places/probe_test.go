package places_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/waitroom/waitroom/proxy/places"
)

// TestProbesTogether: a bound lets only a few in at the instants that the shared clock
// says, whatever its own does.
func TestProbesTogether(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{0, 3 * time.Second, -3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			begins := probes(t, 28, func() time.Duration { return ahead })
			for _, at := range begins {
				if into := at.Sub(at.Truncate(10 * time.Second)); into > 50*time.Millisecond {
					t.Errorf("%v: a probe began %v after it was due", ahead, into)
				}
			}
			if len(begins) < 2 {
				t.Errorf("%v: probes at %v, want two or more", ahead, begins)
			}
		})
	}
}

// TestClockPutBack: probes go on when the shared clock is put back.
func TestClockPutBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		begins := probes(t, 38, func() time.Duration {
			if time.Since(begun) > 12*time.Second {
				return -time.Hour
			}
			return 0
		})
		if len(begins) < 4 { // one before, one at once and two later
			t.Errorf("probes at %v, want four or more", begins)
		}
	})
}

// probes is when, on a clock that is so far ahead, a bound began to let only a few in.
func probes(t *testing.T, seconds int, ahead func() time.Duration) (begins []time.Time) {
	t.Helper()
	s, b := newShop(40, 50*time.Millisecond, 0), places.New(0, 512)
	done := make(chan struct{})
	go func() {
		defer close(done)
		last := 0
		for range seconds * 100 {
			time.Sleep(10 * time.Millisecond)
			shared := time.Now().Add(ahead())
			b.Tell(shared)
			now := b.Look().Limit
			if now*2 < last {
				begins = append(begins, shared)
			}
			last = now
		}
	}()
	s.visit(t, b, 1600, seconds, nothing)
	<-done
	return begins
}

package challenge_test

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/proxy/challenge"
)

func TestBits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		perSecond float64
		want      int
	}{
		{0, 11}, {3.9, 11}, {4, 12}, {15.9, 12}, {16, 13}, {64, 14}, {255, 14}, {256, 15}, {1e6, 15},
		{math.Inf(1), 15}, {math.NaN(), 11}, {-1, 11},
	} {
		if got := challenge.Bits(test.perSecond); got != test.want {
			t.Errorf("at %v a second: %d bits, want %d", test.perSecond, got, test.want)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	var l challenge.Load
	if got := l.PerSecond(begin); got != 0 {
		t.Errorf("at first: %v a second, want 0", got)
	}
	now := begin
	for range 100 * 120 {
		now = now.Add(10 * time.Millisecond)
		l.Accepted(now)
	}
	if got := l.PerSecond(now); math.Abs(got-100) > 2 {
		t.Errorf("100 a second for two minutes: %v", got)
	}
	if got := l.PerSecond(now.Add(-time.Hour)); math.Abs(got-100) > 2 {
		t.Errorf("after the clock stepped back: %v", got)
	}
	if got := l.PerSecond(now.Add(-time.Hour + time.Minute)); got < 4 || got > 6 {
		t.Errorf("a minute later: %v a second, want about 5", got)
	}
}

func TestLoadCountsAll(t *testing.T) {
	t.Parallel()
	var l challenge.Load
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 250 {
				l.Accepted(begin)
			}
		})
	}
	all.Wait()
	if got := l.PerSecond(begin); got != 100 {
		t.Errorf("2000 at one instant: %v a second, want 100", got)
	}
}

package certs_test

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/proxy/certs"
)

// TestAttempts: pauses double from a minute to six hours, and are an hour at least
// once the issuer says that it is asked too often.
func TestAttempts(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	for _, test := range []struct {
		failed  int
		limited bool
		want    time.Duration
	}{
		{0, false, time.Minute}, {1, false, 2 * time.Minute}, {5, false, 32 * time.Minute}, {8, false, 256 * time.Minute},
		{9, false, 6 * time.Hour}, {1000, false, 6 * time.Hour},
		{0, true, time.Hour}, {7, true, 128 * time.Minute}, {1000, true, 6 * time.Hour},
	} {
		got := certs.Attempts{Failed: test.failed}.After(now, test.limited)
		if got.Failed != test.failed+1 || got.Left(now) != test.want {
			t.Errorf("after %d (limited: %t): %d, %v; want %v", test.failed, test.limited, got.Failed, got.Left(now), test.want)
		}
	}
	for until, want := range map[time.Duration]time.Duration{
		-time.Second: 0, 0: 0, time.Second: time.Second, 6 * time.Hour: 6 * time.Hour,
		7 * time.Hour: 0, // of a clock that was wrong
	} {
		if got := (certs.Attempts{Until: now.Add(until)}).Left(now); got != want {
			t.Errorf("until %v from now: %v, want %v", until, got, want)
		}
	}
	if got := (certs.Attempts{}).Left(now); got != 0 {
		t.Errorf("without a failure: %v", got)
	}
}

// TestNearEnd: well before the end, and after certmagic would have renewed.
func TestNearEnd(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	now := time.Unix(1_800_000_000, 0)
	for _, test := range []struct {
		life, left time.Duration
		want       bool
	}{
		{90 * day, 30 * day, false}, {90 * day, 22 * day, false}, {90 * day, 20 * day, true}, {90 * day, -day, true},
		{365 * day, 22 * day, false}, {365 * day, 20 * day, true},
		{8 * day, 3 * day, false}, {8 * day, day, true},
	} {
		if got := certs.NearEnd(now.Add(test.left-test.life), now.Add(test.left), now); got != test.want {
			t.Errorf("%v left of %v: %t, want %t", test.left, test.life, got, test.want)
		}
	}
}

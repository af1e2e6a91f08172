package shedding_test

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/shedding"
)

func TestRetryAfterIsWholeSecondsRoundedUp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		retry time.Duration
		want  int
	}{
		{-time.Minute, 0},
		{0, 0},
		{1, 1},
		{time.Second, 1},
		{time.Second + 1, 2},
		{90 * time.Second, 90},
	} {
		v := shedding.Verdict{Kind: shedding.KindSlowDown, Reason: "account", Retry: test.retry}
		if got := v.RetryAfter(); got != test.want {
			t.Errorf("RetryAfter with Retry %v = %d, want %d", test.retry, got, test.want)
		}
	}
}

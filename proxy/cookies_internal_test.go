package proxy

import (
	"testing"
	"time"
)

// TestOwnCookieAge: a life in whole seconds, rounded up, since none would delete.
func TestOwnCookieAge(t *testing.T) {
	t.Parallel()
	for life, want := range map[time.Duration]int{
		time.Minute: 60, 1500 * time.Millisecond: 2, time.Second: 1, time.Millisecond: 1, 0: -1, -time.Second: -1,
	} {
		if got := ownCookie("x", "y", life).MaxAge; got != want {
			t.Errorf("for %v: Max-Age %d, want %d", life, got, want)
		}
	}
}

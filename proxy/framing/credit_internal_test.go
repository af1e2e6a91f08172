package framing

import (
	"testing"
	"time"
)

func TestCredit(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	var c credit
	takes := func(take func() bool) (n int) {
		for take() {
			n++
		}
		return n
	}
	plain := func() bool { return c.take(now) }
	if got := takes(plain); got != creditMost {
		t.Errorf("at once: %d, want %d", got, creditMost)
	}
	now = now.Add(time.Second)
	if got := takes(plain); got != creditSecond {
		t.Errorf("a second later: %d, want %d", got, creditSecond)
	}
	now = now.Add(-time.Hour)
	if got := takes(plain); got != 0 {
		t.Errorf("after the clock went back: %d, want none", got)
	}
	now = now.Add(2 * time.Hour)
	if got := takes(plain); got != creditMost {
		t.Errorf("an hour later: %d, want %d", got, creditMost)
	}
	if got := takes(func() bool { return c.takeUpdate(now, 10*updateBytes) }); got != 10 {
		t.Errorf("that there is room: %d, want 10", got)
	}
}

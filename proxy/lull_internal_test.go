package proxy

import (
	"testing"
	"time"
)

// TestLull: after five questions without an answer one is asked every two seconds,
// until one is answered.
func TestLull(t *testing.T) {
	t.Parallel()
	var l lull
	now := time.Unix(1_800_000_000, 0)
	for i := range lullAfter {
		if !l.may(now) {
			t.Errorf("question %d is not asked", i)
		}
		if begins := l.note(false, now); begins != (i == lullAfter-1) {
			t.Errorf("after %d without an answer the lull begins: %t", i+1, begins)
		}
	}
	if l.may(now.Add(lullLast - 1)) {
		t.Error("asked during the lull")
	}
	now = now.Add(lullLast)
	if !l.may(now) || l.may(now) {
		t.Error("after it not one alone is asked")
	}
	if l.note(false, now) {
		t.Error("a lull that goes on begins again")
	}
	now = now.Add(lullLast)
	if !l.may(now) {
		t.Error("two seconds later none is asked")
	}
	l.note(true, now)
	for range 3 {
		if !l.may(now) {
			t.Error("not asked once there was an answer")
		}
	}
}

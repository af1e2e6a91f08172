package origin

import (
	"testing"
	"time"
)

// TestHealth: for how long a server is passed over.
func TestHealth(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	var h health
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
		if !h.fails(now, false) || h.until.Sub(now) != want*time.Second {
			t.Fatalf("passed over for %v, want %d s", h.until.Sub(now), want)
		}
		if h.fails(now, false) {
			t.Error("what failed at the same time counts again")
		}
		now = h.until
		if h.away(now) {
			t.Error("its time is up and it is passed over still")
		}
	}
	h.probe(now)
	if !h.away(now) || h.away(now.Add(awayFirst)) {
		t.Error("a probe is not alone, or for too long")
	}
	if !h.answers() || h.away(now) || h.answers() {
		t.Error("an answer does not bring it back, or twice")
	}
	for i := range enough {
		if h.fails(now, true) != (i == enough-1) {
			t.Errorf("unanswered request %d decides wrongly", i+1)
		}
	}
	h.answers()
	h.fails(now, true)
	h.fails(now, true)
	h.answers()
	if h.fails(now, true) {
		t.Error("requests that are not in a row count together")
	}
}

// TestHealth_Leaves: two who waited and left count as one request.
func TestHealth_Leaves(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	var h health
	for i := range 2 * enough {
		if h.leaves(now) != (i == 2*enough-1) {
			t.Errorf("client %d decides wrongly", i+1)
		}
	}
	if h.leaves(now) {
		t.Error("who left at the same time counts again")
	}
	now = h.until
	if !h.doubtful() || !h.leaves(now) || h.until.Sub(now) != 2*awayFirst {
		t.Errorf("the next one passes it over for %v, want %v", h.until.Sub(now), 2*awayFirst)
	}
	h.answers()
	if h.doubtful() || h.leaves(now) {
		t.Error("an answer does not end what was counted")
	}
}

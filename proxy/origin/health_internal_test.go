package origin

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
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

// TestPlace: a request waits so long for a place, or takes one that is let go.
func TestPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		full := &server{slots: make(chan struct{}, 1)}
		full.slots <- struct{}{}
		begun := time.Now()
		if _, err := slot(t.Context(), []*server{full}); !errors.Is(err, ErrBusy) || time.Since(begun) != slotWait {
			t.Errorf("got %v after %v, want %v after %v", err, time.Since(begun), ErrBusy, slotWait)
		}
		time.AfterFunc(time.Second, full.leave)
		if s, err := slot(t.Context(), []*server{full}); err != nil || s != full {
			t.Errorf("got %v, want the place that was let go", err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		left := errors.New("left")
		time.AfterFunc(time.Second, func() { cancel(left) })
		if _, err := slot(ctx, []*server{full}); !errors.Is(err, left) {
			t.Errorf("got %v, want %v", err, left)
		}
		free := &server{slots: make(chan struct{}, 1)}
		if s, _ := slot(t.Context(), []*server{full, free}); s != free {
			t.Error("it waits at a full server beside a free one")
		}
	})
}

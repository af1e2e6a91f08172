package listen

import (
	"testing"
)

// TestRoll_OneAddress: one address has no more than its share; over it goes one of its
// own, and where all of them are served the new one is refused. Nobody else is touched,
// and nothing is left of an address that is gone.
func TestRoll_OneAddress(t *testing.T) {
	t.Parallel()
	r := newRoll(bounds{all: 100, hands: 50, ofOne: 4, handsOfOne: 2})
	enter := func(n int) (*conn, bool, reason) {
		c, _ := pair(t)
		c.roll, c.from = r, of(n)
		in, why := r.enter(c)
		return c, in, why
	}
	stranger, _, _ := enter(2)
	a, _, _ := enter(1)
	b, _, _ := enter(1)
	c, in, why := enter(1)
	if !in || why != tooManyHandsOfOne || a.standing.on || stranger.closed.Load() {
		t.Errorf("a third in the handshake: in %v for %q, the first is in %v; want that it goes for it", in, why, a.standing.on)
	}
	r.busy(b, false)
	r.busy(c, true)
	d, _, _ := enter(1)
	r.busy(d, true)
	e, _, _ := enter(1)
	r.busy(e, true)
	f, in, why := enter(1)
	if !in || why != tooManyOfOne || b.standing.on {
		t.Errorf("a fifth: in %v for %q, the idle one is in %v; want that it goes for it", in, why, b.standing.on)
	}
	r.busy(f, true)
	if _, in, why := enter(1); in || why != tooManyOfOne {
		t.Errorf("a fifth while all are served: in %v, %q, want it refused", in, why)
	}
	if !stranger.standing.on {
		t.Error("somebody else went for it")
	}
	r.cutAll()
	if len(r.callers) != 0 || r.n != 0 || r.counts() != [parts]int{} {
		t.Errorf("%d addresses are known, %v are there, want none", len(r.callers), r.counts())
	}
}

// TestRoll_Name: who comes through a proxy counts for whom it names, and until then, as
// the proxy itself, for nobody.
func TestRoll_Name(t *testing.T) {
	t.Parallel()
	r := newRoll(bounds{all: 100, hands: 50, ofOne: 2, handsOfOne: 2})
	enter := func() *conn {
		c, _ := pair(t)
		c.roll = r
		if in, why := r.enter(c); !in || why != "" {
			t.Fatalf("a proxy's: in %v for %q, want it in, whatever there is", in, why)
		}
		return c
	}
	for range 10 {
		r.busy(enter(), true)
	}
	for n := range 3 {
		c := enter()
		in, why := r.name(c, of(1))
		if want := n < 2; in != want || (why == "") != want {
			t.Errorf("number %d of a client: in %v for %q, want %v", n, in, why, want)
		}
		r.busy(c, true)
	}
	if got := r.callers[of(1)].n; got != 2 {
		t.Errorf("the client has %d, want 2", got)
	}
	gone := enter()
	r.leave(gone)
	if in, _ := r.name(gone, of(2)); in || r.callers[of(2)] != nil {
		t.Error("one that is gone is counted, want it left out")
	}
	r.cutAll()
	if len(r.callers) != 0 || r.n != 0 {
		t.Errorf("%d addresses are known, %d are there, want none", len(r.callers), r.n)
	}
}

// TestRoll_Requests: of all addresses and of one there are no more requests than may
// be, also where connections end before their requests, and nothing is left in the end.
func TestRoll_Requests(t *testing.T) {
	t.Parallel()
	r := newRoll(bounds{all: 10, hands: 10, ofOne: 10, handsOfOne: 10, requests: 5, requestsOfOne: 3})
	enter := func(n int) *conn {
		c, _ := pair(t)
		c.roll, c.from = r, of(n)
		if in, why := r.enter(c); !in {
			t.Fatalf("does not come in: %s", why)
		}
		return c
	}
	begin := func(c *conn, times int) (n int) {
		for range times {
			if r.begin(c) {
				n++
			}
		}
		return n
	}
	a, again, b := enter(1), enter(1), enter(2)
	if got := begin(a, 2) + begin(again, 2); got != 3 {
		t.Errorf("one address began %d, want 3", got)
	}
	if got := begin(b, 5); got != 2 {
		t.Errorf("another one began %d, want the 2 that are left", got)
	}
	r.leave(a)
	r.leave(again)
	if got := begin(enter(1), 1); got != 0 {
		t.Errorf("who comes again while its requests are there began %d, want none", got)
	}
	for range 3 {
		r.end(a)
	}
	r.end(b)
	r.end(b)
	r.cutAll()
	if r.requests != 0 || len(r.callers) != 0 {
		t.Errorf("%d requests, %d addresses are left, want none", r.requests, len(r.callers))
	}
}

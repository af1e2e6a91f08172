package listen

import (
	"errors"
	"net"
	"testing"
	"time"
)

// TestRoll_WhoGoes: in a full house the one that has dawdled longest over the
// handshake goes for another of its kind, the one that has been idle longest for
// any; one that is served never.
func TestRoll_WhoGoes(t *testing.T) {
	t.Parallel()
	r := newRoll(boundsOf(4)) // two in the handshake
	enter := func() *conn {
		near, far := net.Pipe()
		t.Cleanup(func() { _ = near.Close(); _ = far.Close() })
		return &conn{Conn: near, roll: r}
	}
	dawdler, a := enter(), enter()
	in := func(c *conn) bool { in, _ := r.enter(c); return in }
	if !in(dawdler) || !in(a) {
		t.Fatal("refused, want both in")
	}
	b := enter()
	if !in(b) || !dawdler.closed.Load() {
		t.Fatalf("a third in the handshake: the first one is closed %v, want it to go", dawdler.closed.Load())
	}
	r.busy(a, false)
	r.busy(b, true)
	c, d := enter(), enter()
	if !in(c) || !in(d) {
		t.Fatal("refused, want four in")
	}
	r.busy(c, false)
	r.busy(d, true)
	e := enter()
	if !in(e) || !a.closed.Load() || c.closed.Load() {
		t.Fatalf("a fifth: idle longest is closed %v, the other %v; want the first to go", a.closed.Load(), c.closed.Load())
	}
	r.busy(e, true)
	r.busy(c, true)
	if in, _ := r.enter(enter()); in {
		t.Error("one more while all are served: it is in, want it refused")
	}
	if all, hands := r.left(); all != 4 || hands != 0 {
		t.Errorf("%d are in, %d in the handshake, want 4 and 0", all, hands)
	}
	r.busy(b, false)
	if got := r.idleSince(time.Now().Add(time.Second)); len(got) != 1 || got[0] != b {
		t.Errorf("%d are idle, want the one", len(got))
	}
	if got := r.idleSince(time.Now().Add(-time.Second)); len(got) != 0 {
		t.Errorf("%d are idle since a second, want none", len(got))
	}
	if n := r.cutAll(); n != 4 {
		t.Errorf("%d were cut, want 4", n)
	}
}

// TestRoll_WhoLingers: a connection that is closed and lingers is neither in the
// handshake nor idle any more, whatever is said of it, and goes first where there are
// too many.
func TestRoll_WhoLingers(t *testing.T) {
	t.Parallel()
	r := newRoll(boundsOf(4)) // two in the handshake
	var all []*conn
	enter := func() *conn {
		c, _ := pair(t)
		c.roll = r
		if in, _ := r.enter(c); !in {
			t.Fatal("refused, want it in")
		}
		all = append(all, c)
		return c
	}
	lingers, idle := enter(), enter()
	_ = lingers.Close()
	r.busy(idle, false)
	r.busy(lingers, false) // as a server may say in the end
	if n, hands := r.left(); n != 2 || hands != 0 {
		t.Errorf("%d are in, %d in the handshake, want 2 and 0", n, hands)
	}
	enter()
	enter()
	for range 2 {
		enter()
		if n, hands := r.left(); n > 4 || hands > 2 {
			t.Errorf("%d are in, %d in the handshake, want no more than 4 and 2", n, hands)
		}
	}
	r.busy(all[4], true)
	enter()
	if n, _ := r.left(); n != 4 || idle.closed.Load() || lingers.standing.on {
		t.Errorf("one more: %d are in, the idle one is closed %v, the one that lingers is in %v; want 4, and that this one goes", n, idle.closed.Load(), lingers.standing.on)
	}
	if _, err := lingers.Conn.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the one that lingered: got %v, want it closed", err)
	}
}

// TestRoll_NameInPlace: who is named where as many of the address are in as may be takes the
// place of one of them, which is gone by then.
func TestRoll_NameInPlace(t *testing.T) {
	t.Parallel()
	r := newRoll(boundsOf(4)) // two of an address, one of them in the handshake
	in := func() *conn {
		c, _ := pair(t)
		c.roll = r
		if in, _ := r.enter(c); !in {
			t.Fatal("refused, want it in")
		}
		return c
	}
	idle := in()
	if in, why := r.name(idle, of(1)); !in || why != "" {
		t.Fatalf("the first: in %v, %q, want it in", in, why)
	}
	r.busy(idle, false)
	shakes := in()
	if in, why := r.name(shakes, of(1)); !in || why != "" {
		t.Fatalf("the second: in %v, %q, want it in", in, why)
	}
	r.busy(shakes, true)
	if in, why := r.name(in(), of(1)); !in || why != tooManyOfOne || !idle.closed.Load() {
		t.Errorf("the third: in %v, %q, the idle one is closed %v; want it in, and that this one is gone", in, why, idle.closed.Load())
	}
	if n, _ := r.left(); n != 2 {
		t.Errorf("%d are in, want 2", n)
	}
}

// TestRoll_WhoIsAwake: who was answered without a server meanwhile, or is being written
// to, is not the one that is idle longest.
func TestRoll_WhoIsAwake(t *testing.T) {
	t.Parallel()
	r := newRoll(boundsOf(8))
	var all []*conn
	for range 4 {
		near, far := net.Pipe()
		t.Cleanup(func() { _ = near.Close(); _ = far.Close() })
		c := &conn{Conn: near, roll: r}
		if in, _ := r.enter(c); !in {
			t.Fatal("refused, want it in")
		}
		r.busy(c, false)
		c.standing.since = time.Now().Add(time.Duration(len(all)-60) * time.Second)
		all = append(all, c)
	}
	all[0].stirred.Store(time.Now().Add(-time.Second).UnixNano())
	all[1].writing.Store(true)
	if got := r.idleSince(time.Now().Add(-10 * time.Second)); len(got) != 2 || got[0] != all[2] || got[1] != all[3] {
		t.Errorf("%d are idle, want the two that nobody has written to", len(got))
	}
	for i, want := range []int{2, 3} {
		r.makeRoom()
		if !all[want].closed.Load() {
			t.Errorf("the room that was made, %d: it was not that of %d", i, want)
		}
	}
	if all[0].closed.Load() || all[1].closed.Load() {
		t.Error("one that was answered, or is written to, went first")
	}
	all[1].writing.Store(false)
	r.makeRoom()
	r.makeRoom()
	if got := r.counts(); got[idle] != 0 {
		t.Errorf("%d are idle, want none", got[idle])
	}
}

// TestRoll_IdleOutOfOrder: whoever was answered without a server stands behind those that
// came since, and is found all the same.
func TestRoll_IdleOutOfOrder(t *testing.T) {
	t.Parallel()
	r := newRoll(boundsOf(4))
	begun := time.Now().Add(-time.Hour)
	idle := func(since time.Duration) *conn {
		c, _ := pair(t)
		c.roll = r
		if in, _ := r.enter(c); !in {
			t.Fatal("refused, want it in")
		}
		r.busy(c, false)
		c.standing.since = begun.Add(since)
		return c
	}
	a := idle(0)
	idle(20 * time.Minute)
	a.stirred.Store(begun.Add(10 * time.Minute).UnixNano())
	if got := r.idleSince(begun.Add(5 * time.Minute)); len(got) != 0 {
		t.Errorf("%d are idle since the fifth minute, want none", len(got))
	}
	if got := r.idleSince(begun.Add(15 * time.Minute)); len(got) != 1 || got[0] != a {
		t.Errorf("%d are idle since the fifteenth minute, want the one that was answered in the tenth", len(got))
	}
}

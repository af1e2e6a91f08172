package listen

import (
	"net"
	"testing"
	"time"
)

// TestRoll_WhoGoes: in a full house the one that has dawdled longest over the
// handshake goes for another of its kind, the one that has been idle longest for
// any; one that is served never.
func TestRoll_WhoGoes(t *testing.T) {
	t.Parallel()
	r := newRoll(4) // two in the handshake
	enter := func() *conn {
		near, far := net.Pipe()
		t.Cleanup(func() { _ = near.Close(); _ = far.Close() })
		return &conn{Conn: near, roll: r}
	}
	dawdler, a := enter(), enter()
	if !r.enter(dawdler) || !r.enter(a) {
		t.Fatal("refused, want both in")
	}
	b := enter()
	if !r.enter(b) || !dawdler.closed.Load() {
		t.Fatalf("a third in the handshake: the first one is closed %v, want it to go", dawdler.closed.Load())
	}
	r.busy(a, false)
	r.busy(b, true)
	c, d := enter(), enter()
	if !r.enter(c) || !r.enter(d) {
		t.Fatal("refused, want four in")
	}
	r.busy(c, false)
	r.busy(d, true)
	e := enter()
	if !r.enter(e) || !a.closed.Load() || c.closed.Load() {
		t.Fatalf("a fifth: idle longest is closed %v, the other %v; want the first to go", a.closed.Load(), c.closed.Load())
	}
	r.busy(e, true)
	r.busy(c, true)
	if f := enter(); r.enter(f) {
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

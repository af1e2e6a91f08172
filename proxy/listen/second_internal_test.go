package listen

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// written collects what a connection writes.
type written struct {
	net.Conn
	bytes.Buffer
}

func (w *written) Write(b []byte) (int, error) { return w.Buffer.Write(b) }
func (w *written) Read(b []byte) (int, error)  { return w.Buffer.Read(b) }
func (*written) Close() error                  { return nil }

// TestSecond_SaysGoodbyeBetweenFrames: wherever the server's bytes are cut, and
// whenever the goodbye is due, it stands between two whole frames, behind the
// settings, once.
func TestSecond_SaysGoodbyeBetweenFrames(t *testing.T) {
	t.Parallel()
	var plain bytes.Buffer
	framer := http2.NewFramer(&plain, nil)
	_ = framer.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 128})
	_ = framer.WriteSettingsAck()
	_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: make([]byte, 300), EndHeaders: true})
	_ = framer.WriteData(1, false, make([]byte, 16<<10))
	_ = framer.WriteData(1, true, nil)
	_ = framer.WritePing(true, [8]byte{1})
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		out := &written{}
		s := &second{Conn: out, door: &Door{}}
		due := rng.IntN(plain.Len() + 1)
		for rest := plain.Bytes(); len(rest) > 0; {
			if plain.Len()-len(rest) >= due {
				s.sayGoodbye()
			}
			n := min(len(rest), 1+rng.IntN(1+rng.IntN(5000)))
			if _, err := s.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		s.sayGoodbye()
		if got := goodbyes(t, &out.Buffer); got != 1 {
			t.Fatalf("seed %d: %d goodbyes among whole frames, want 1", seed, got)
		}
	}
}

// goodbyes reads frames to their end and counts those that are the goodbye; the
// first frame must be another.
func goodbyes(t *testing.T, from io.Reader) (n int) {
	t.Helper()
	framer := http2.NewFramer(nil, from)
	for i := 0; ; i++ {
		f, err := framer.ReadFrame()
		if err == io.EOF {
			return n
		}
		if err != nil {
			t.Fatalf("frame %d: %v", i, err)
		}
		if g, ok := f.(*http2.GoAwayFrame); ok {
			if i == 0 || g.LastStreamID != 1<<31-1 || g.ErrCode != http2.ErrCodeNo {
				t.Fatalf("frame %d: %v", i, g)
			}
			n++
		}
	}
}

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

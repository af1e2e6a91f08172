package express

import (
	"net"
	"testing"
	"time"
)

// sink is a connection that takes all.
type sink struct{ net.Conn }

func (sink) Write(p []byte) (int, error)      { return len(p), nil }
func (sink) SetWriteDeadline(time.Time) error { return nil }

// TestOut: a buffer that was full is the next one's, though each answer in it is large.
func TestOut(t *testing.T) {
	l := New(nil, Times{Write: time.Minute}, 0, nil)
	o := out{lane: l, conn: sink{}}
	answer := make([]byte, 20<<10)
	taken := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for !o.much() {
				o.set(append(o.bytes(), answer...))
			}
			if err := o.flush(time.Unix(0, 0)); err != nil {
				b.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	if taken > flushAt { // the race detector has pools forget some
		t.Errorf("%d bytes of new memory for each flush, want next to none", taken)
	}
}

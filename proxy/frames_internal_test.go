package proxy

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"testing"
	"time"
)

// frame is one of a WebSocket.
func frame(opcode byte, masked bool, payload int) []byte {
	b := []byte{0x80 | opcode}
	mask := byte(0)
	if masked {
		mask = 0x80
	}
	switch {
	case payload < 126:
		b = append(b, mask|byte(payload))
	case payload < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, mask|126), uint16(payload))
	default:
		b = binary.BigEndian.AppendUint64(append(b, mask|127), uint64(payload))
	}
	if masked {
		b = append(b, 1, 2, 3, 4)
	}
	return append(b, bytes.Repeat([]byte{0x88}, payload)...) // which looks like a close frame
}

// TestFrames: wherever pieces are cut, the ends of frames are found.
func TestFrames(t *testing.T) {
	t.Parallel()
	var wire []byte
	ends := map[int]bool{0: true}
	for _, masked := range []bool{false, true} {
		for _, size := range []int{0, 1, 125, 126, 300, 65535, 65536, 70000} {
			wire = append(wire, frame(2, masked, size)...)
			ends[len(wire)] = true
		}
	}
	for _, most := range []int{1, 2, 7, 1000, 100_000} {
		var f frames
		for at := 0; at < len(wire); {
			piece := wire[at:min(len(wire), at+1+rand.IntN(most))]
			for len(piece) > 0 {
				n := f.skip(piece)
				at, piece = at+n, piece[n:]
				if f.between() != ends[at] {
					t.Fatalf("pieces of %d: at %d it says %t, want %t", most, at, f.between(), ends[at])
				}
			}
		}
		if f.closes {
			t.Error("a payload passes for a close frame")
		}
	}
	var f frames
	if f.skip(frame(8, true, 2)); !f.closes {
		t.Error("a close frame goes unseen")
	}
}

// pipe is an end that keeps what is written.
type pipe struct {
	bytes.Buffer
	closed bool
}

func (p *pipe) Close() error { p.closed = true; return nil }

// TestFarewellBetweenFrames: the close frame never comes into a frame, and what the
// other end sends after it is not passed on, but for its goodbye, which is heard.
func TestFarewellBetweenFrames(t *testing.T) {
	t.Parallel()
	message := frame(1, false, 300)
	for cut := range len(message) + 1 {
		to, from := &pipe{}, &pipe{}
		tunnel := &tunnel{all: &tunnels{}, webSocket: true, over: make(chan struct{})}
		tunnel.shopper = &side{ReadWriteCloser: to, tunnel: tunnel, bye: goingAway}
		tunnel.origin = &side{ReadWriteCloser: from, tunnel: tunnel, bye: goingAwayMasked}
		_, _ = tunnel.shopper.Write(message[:cut])
		tunnel.shopper.farewell()
		_, _ = tunnel.shopper.Write(append(message[cut:len(message):len(message)], message...))
		want := append(message[:len(message):len(message)], goingAway...)
		if cut == 0 {
			want = goingAway
		}
		if got := to.Bytes(); !bytes.Equal(got, want) {
			t.Fatalf("cut at %d: %d bytes went out, want %d that end in the close frame", cut, len(got), len(want))
		}
		tunnel.origin.farewell()
		if !bytes.Equal(from.Bytes(), goingAwayMasked) {
			t.Errorf("the origin got % x", from.Bytes())
		}
		_, _ = tunnel.shopper.Write(frame(8, false, 2))
		_, _ = tunnel.origin.Write(frame(8, true, 2))
		select {
		case <-tunnel.over:
		case <-time.After(5 * time.Second):
			t.Fatal("both have said goodbye, and the tunnel is open")
		}
	}
}

// TestFarewellOfWhoCloses: who is closing by itself gets no second close frame.
func TestFarewellOfWhoCloses(t *testing.T) {
	t.Parallel()
	to := &pipe{}
	tunnel := &tunnel{all: &tunnels{}, webSocket: true, over: make(chan struct{})}
	tunnel.shopper = &side{ReadWriteCloser: to, tunnel: tunnel, bye: goingAway}
	tunnel.origin = &side{ReadWriteCloser: &pipe{}, tunnel: tunnel, bye: goingAwayMasked}
	_, _ = tunnel.shopper.Write(frame(8, false, 2))
	tunnel.shopper.farewell()
	if got, want := to.Bytes(), frame(8, false, 2); !bytes.Equal(got, want) {
		t.Errorf("% x went out, want % x", got, want)
	}
}

var _ io.ReadWriteCloser = (*pipe)(nil)

package framing_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"testing"

	"golang.org/x/net/http2"

	"github.com/waitroom/waitroom/proxy/framing"
)

// written collects what a connection writes.
type written struct {
	net.Conn
	bytes.Buffer
}

func (w *written) Write(b []byte) (int, error) { return w.Buffer.Write(b) }
func (w *written) Read(b []byte) (int, error)  { return w.Buffer.Read(b) }
func (*written) Close() error                  { return nil }

// TestHTTP2_GoodbyeBetweenFrames: wherever the server's bytes are cut, and
// whenever the goodbye is due, it stands between two whole frames, behind the
// settings, once.
func TestHTTP2_GoodbyeBetweenFrames(t *testing.T) {
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
		s := framing.ScreenHTTP2(out, most, func(string) {})
		due := rng.IntN(plain.Len() + 1)
		for rest := plain.Bytes(); len(rest) > 0; {
			if plain.Len()-len(rest) >= due {
				s.Goodbye()
			}
			n := min(len(rest), 1+rng.IntN(1+rng.IntN(5000)))
			if _, err := s.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		s.Goodbye()
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

package origin_test

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/iotest"

	"github.com/waitroom/waitroom/proxy/origin"
)

// TestBrokenBody: a body that cannot be read on is not the doing of the server that
// waits for the rest of it.
func TestBrokenBody(t *testing.T) {
	t.Parallel()
	s := serveRaw(t, func(int, int) (string, bool) { return ok, true })
	p := pool(t, s.addr)
	broken := errors.New("no chunk")
	for range 10 {
		r := request(t, http.MethodPost, "/", "x")
		r.ContentLength, r.Body = -1, io.NopCloser(io.MultiReader(&slowly{}, iotest.ErrReader(broken)))
		if resp, err := p.RoundTrip(r); err == nil {
			_ = resp.Body.Close()
			t.Fatal("a broken body was answered")
		} else if errors.Is(err, origin.ErrBusy) {
			t.Fatal(err)
		}
	}
	if n := p.Away(); n != 0 {
		t.Errorf("%d servers are passed over, want none", n)
	}
}

// slowly is a body's first piece, more than is read before the head is sent.
type slowly struct{ pieces int }

func (s *slowly) Read(p []byte) (int, error) {
	if s.pieces++; s.pieces > 20 {
		return 0, io.EOF
	}
	clear(p)
	return len(p), nil
}

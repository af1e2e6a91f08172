package listen

import (
	"crypto/tls"
	"encoding/binary"
	"net"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/waitroom/waitroom/proxy/framing"
)

// second is a connection that speaks HTTP/2. A server that stops says so twice
// (RFC 9113, 6.8): first that streams end here, naming the highest number there
// is, so that none that is on its way is lost; then, when the client has heard
// it, which was the last. net/http says only the second; the first one we slip in
// between two of its frames.
//
// It hides what TLS it is on, for net/http serves HTTP/2 on other connections than
// its own kind of TLS only where it sees none.
type second struct {
	net.Conn
	under *conn
	door  *Door
	state tls.ConnectionState

	leaving atomic.Bool
	mu      sync.Mutex // of writing
	frames  frames
	said    bool
}

func (d *Door) newSecond(c *conn, secure *tls.Conn, state tls.ConnectionState, terms *Terms) *second {
	screen := framing.ScreenHTTP2(secure, framing.Limits{Head: terms.Header}, d.refused)
	s := &second{Conn: screen, under: c, door: d, state: state}
	d.second.Store(s, nil)
	s.leaving.Store(d.leaving.Load())
	return s
}

// prohibited reports whether TLS is too weak for HTTP/2 (RFC 9113, 9.2.2): of 1.2
// it takes the ciphers alone that authenticate what they encrypt, under keys that
// are forgotten.
func prohibited(state tls.ConnectionState) bool {
	if state.Version >= tls.VersionTLS13 {
		return false
	}
	name := tls.CipherSuiteName(state.CipherSuite)
	sealed := strings.Contains(name, "_GCM_") || strings.Contains(name, "_CHACHA20_POLY1305")
	return !sealed || !strings.HasPrefix(name, "TLS_ECDHE_")
}

func (s *second) base() *conn { return s.under }

// goodbye is a GOAWAY frame: length 8, type 7, no flags, stream 0; the highest
// number, NO_ERROR.
var goodbye = []byte{0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0}

// sayGoodbye sends the first GOAWAY now or, while something is being written,
// right behind that.
func (s *second) sayGoodbye() {
	s.leaving.Store(true)
	s.settle()
}

// settle writes the GOAWAY if it is due and may stand here, unless somebody writes,
// who then looks once more.
func (s *second) settle() {
	if !s.leaving.Load() || !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	if !s.said && s.frames.between() {
		s.said = true
		_, _ = s.Conn.Write(goodbye) // whoever writes next finds out
	}
}

func (s *second) Write(b []byte) (int, error) {
	n, err := s.write(b)
	s.settle()
	return n, err
}

func (s *second) write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.Conn.Write(b)
	s.frames.pass(b[:n])
	return n, err
}

func (s *second) Close() error {
	s.door.second.Delete(s)
	return s.Conn.Close()
}

// frames knows where in a stream of frames it stands.
type frames struct {
	head  [frameHead]byte
	have  int    // bytes of head
	left  uint32 // bytes of the payload
	whole bool   // at least one went by
}

const frameHead = 9 // bytes before a payload (RFC 9113, 4.1)

// pass lets bytes go by.
func (f *frames) pass(b []byte) {
	for len(b) > 0 {
		if f.left > 0 {
			n := min(uint32(len(b)), f.left)
			f.left -= n
			b = b[n:]
		} else {
			n := copy(f.head[f.have:], b)
			f.have += n
			b = b[n:]
			if f.have < frameHead {
				return
			}
			f.have, f.left = 0, binary.BigEndian.Uint32(f.head[:])>>8
		}
		f.whole = f.whole || f.left == 0
	}
}

// between reports whether another frame may stand here: the first one must be the
// server's settings.
func (f *frames) between() bool { return f.whole && f.have == 0 && f.left == 0 }

package listen_test

import (
	"crypto/tls"
	"math"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/proxy/express"
	"github.com/waitroom/waitroom/proxy/listen"
)

// hello is a client's first word, recorded: it costs nothing to say it again.
func hello(t *testing.T) []byte {
	t.Helper()
	near, far := net.Pipe()
	go func() {
		_ = tls.Client(near, &tls.Config{ServerName: "shop.example.com", InsecureSkipVerify: true}).Handshake()
	}()
	b := make([]byte, 16<<10)
	n, err := far.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	_ = far.Close()
	return b[:n]
}

// dialFrom connects from an address of its own.
func (h *house) dialFrom(ip net.IP) net.Conn {
	h.t.Helper()
	c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: ip}}).DialContext(h.t.Context(), "tcp", h.at)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	return c
}

// TestGreeter_HandshakesAtOnce: however many begin a handshake, no more are worked at
// than half as many as there are cores; one address keeps no more than its share, and who comes from
// another one is served meanwhile.
func TestGreeter_HandshakesAtOnce(t *testing.T) {
	t.Parallel()
	pair, seats := certificate(t), int64(runtime.GOMAXPROCS(0)+1)/2
	var working, most, done atomic.Int64
	var begun sync.Once
	flooded := make(chan struct{})
	h := buildWith(t, &tls.Config{NextProtos: []string{"h2", "http/1.1"}, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		now := working.Add(1)
		for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
		}
		begun.Do(func() { close(flooded) })
		time.Sleep(5 * time.Millisecond) // as if a machine needed that long
		working.Add(-1)
		done.Add(1)
		return &pair, nil
	}}, false, nil)
	word := hello(t)
	for range 1500 {
		_, _ = h.dialFrom(net.IPv4(127, 0, 0, 66)).Write(word)
	}
	<-flooded
	asked := time.Now()
	c := tls.Client(h.dialFrom(net.IPv4(127, 0, 0, 67)), &tls.Config{InsecureSkipVerify: true})
	if got, err := ask(c); err != nil {
		t.Fatalf("got %q, %v, want an answer", got, err)
	}
	behind := done.Load()
	t.Logf("an answer after %v, %d handshakes of the flood were worked at by then", time.Since(asked), behind)
	if n := most.Load(); n > seats {
		t.Errorf("%d handshakes were worked at at once, want %d at most", n, seats)
	}
	if n := h.conns.Numbers(); n.Handshake > 513 {
		t.Errorf("%d are in the handshake, want 512 of the flood at most", n.Handshake)
	}
	if h.refused("address_handshakes") < 500 {
		t.Errorf("%d were sent away, want all beyond 512", h.refused("address_handshakes"))
	}
	if took := time.Since(asked); took > time.Second && behind > 500 {
		t.Errorf("the answer took %v, want no wait for the flood", took)
	}
}

// TestGreeter_School: three hundred who come from one address in the same moment are all
// served.
func TestGreeter_School(t *testing.T) {
	t.Parallel()
	h := build(t, true, false, nil)
	var all sync.WaitGroup
	for range 300 {
		c := h.dial()
		all.Go(func() {
			if got, err := ask(tls.Client(c, &tls.Config{InsecureSkipVerify: true})); err != nil {
				t.Errorf("got %q, %v, want an answer", got, err)
			}
		})
	}
	all.Wait()
}

// TestGreeter_Rest: who waits for somebody else in the handshake, and says so, keeps
// nobody from theirs.
func TestGreeter_Rest(t *testing.T) {
	t.Parallel()
	pair := certificate(t)
	waits := make(chan struct{})
	var there sync.WaitGroup
	there.Add(100)
	h := buildWith(t, &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if hello.ServerName == "slow" {
			hello.Conn.(interface{ Rest() }).Rest() //nolint:errcheck // that is the test
			there.Done()
			<-waits
		}
		return &pair, nil
	}}, false, nil)
	defer close(waits)
	for range 100 {
		c := tls.Client(h.dial(), &tls.Config{ServerName: "slow", InsecureSkipVerify: true})
		go func() { _ = c.Handshake() }()
	}
	there.Wait()
	if got, err := ask(tls.Client(h.dial(), &tls.Config{InsecureSkipVerify: true})); err != nil {
		t.Errorf("got %q, %v, want an answer", got, err)
	}
}

// buildWith is build with a configuration of TLS.
func buildWith(t *testing.T, config *tls.Config, trusted bool, handler http.Handler) *house {
	t.Helper()
	return buildLaned(t, config, nil, trusted, handler)
}

// buildLaned is buildWith, with a lane if it is not nil.
func buildLaned(t *testing.T, config *tls.Config, lane *express.Lane, trusted bool, handler http.Handler) *house {
	t.Helper()
	var mu sync.Mutex
	counts := map[string]int{}
	h := &house{t: t, lane: lane, conns: listen.NewConnections(math.MaxUint64, func(bound string) {
		mu.Lock()
		defer mu.Unlock()
		counts[bound]++
	}, zap.NewNop())}
	h.refused = func(bound string) int {
		mu.Lock()
		defer mu.Unlock()
		return counts[bound]
	}
	h.open(config, trusted, handler)
	return h
}

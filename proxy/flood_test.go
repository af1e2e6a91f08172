package proxy_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/sync/errgroup"
)

// whole reports whether floods are tried at their full size: `make soak`.
func whole() bool { return os.Getenv("WAITROOM_FLOODS") == "all" }

// sized is a number for every day, and one for the whole flood.
func sized(everyDay, all int) int {
	if whole() {
		return all
	}
	return everyDay
}

// somebody is a visitor from another address than the floods come from.
func (s *stage) somebody() *browser {
	b := s.browser()
	from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	b.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return from.DialContext(ctx, network, s.server.Addr().String())
	}
	return b
}

// waits are how long a visitor waits for pages, shortest first: fifty, and on until
// something is done.
func (b *browser) waits(done <-chan struct{}) (times []time.Duration) {
	b.s.t.Helper()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for over := false; len(times) < 50 || !over; <-ticker.C {
		begun := time.Now()
		b.get("/cart").code(b.s.t, "somebody else", http.StatusOK)
		times = append(times, time.Since(begun))
		select {
		case <-done:
			over = true
		default:
		}
	}
	slices.Sort(times)
	return times
}

// during measures others before a flood and while it is on, by the median, and how
// much memory both sides of it take at its end.
func (s *stage) during(t *testing.T, flood func()) (calm, busy time.Duration, grown int64) {
	t.Helper()
	none := make(chan struct{})
	close(none)
	before := s.somebody().waits(none)
	was := heap()
	done := make(chan struct{})
	go func() { defer close(done); flood() }()
	meanwhile := s.somebody().waits(done)
	t.Logf("others waited %v at the 99th percentile of %d", meanwhile[len(meanwhile)*99/100], len(meanwhile))
	return before[len(before)/2], meanwhile[len(meanwhile)/2], heap() - was
}

// heap is what is in use, stacks included.
func heap() int64 {
	live, stacks := inUse()
	return live + stacks
}

// inUse is what is. What came before is still worked at for a moment, pools are empty
// after the second collection, and what others throw away while it is collected is taken
// for theirs: so it is the least of some looks.
func inUse() (live, stacks int64) {
	live, stacks = math.MaxInt64, math.MaxInt64
	for range 3 {
		time.Sleep(20 * time.Millisecond)
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		live, stacks = min(live, int64(m.HeapAlloc)), min(stacks, int64(m.StackInuse))
	}
	return live, stacks
}

// fine checks what during has measured. The flood comes from the same machine, so
// the bound on the wait is generous.
func fine(t *testing.T, calm, busy time.Duration, grown, most int64) {
	t.Helper()
	t.Logf("others wait %v, in calm %v; memory grew by %d KiB", busy, calm, grown>>10)
	if busy > 20*calm+100*time.Millisecond {
		t.Errorf("others wait %v, in calm %v", busy, calm)
	}
	if grown > most {
		t.Errorf("memory grew by %d KiB, want %d at most", grown>>10, most>>10)
	}
}

// attackers are connections on which each of a few, who take turns, floods. They
// share the machine with the edge, so there are not more of them at a time.
func (s *stage) attackers(t *testing.T, n int, flood func(i int, w *wire)) func() {
	t.Helper()
	wires := make([]*wire, n)
	for i := range wires {
		wires[i] = s.wire(t)
		go func() { _, _ = io.Copy(io.Discard, wires[i].Conn) }() // answers do not pile up
	}
	return func() {
		var few errgroup.Group
		few.SetLimit(4)
		for i, w := range wires {
			few.Go(func() error {
				flood(i, w)
				return w.Conn.Close()
			})
		}
		_ = few.Wait() // whether they close in order is nothing to us
	}
}

// TestFlood_RapidReset: who opens streams and gives them up at once keeps nobody
// else waiting, gets no more tickets than a limit allows, and takes no unit.
func TestFlood_RapidReset(t *testing.T) { // alone, for it measures the process
	for path, fields := range map[string][]string{
		"/.waitroom/golden-toy/ticket": {":method", "POST", "content-length", "0"},
		"/toys/golden/buy":             {":method", "POST", "content-length", "0"},
	} {
		s := play(t, plot{config: "limits: {address: {join: 300/min, request: 200/s}}"})
		connections, streams, begun := sized(10, 200), sized(2000, 50_000), time.Now()
		var opened, cut atomic.Int64
		flood := s.attackers(t, connections, func(_ int, w *wire) {
			for i := range streams {
				stream := uint32(2*i + 1)
				head := w.head(asked(append([]string{":path", path, ":authority", host}, fields...)...)...)
				if w.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: head, EndHeaders: true, EndStream: true}) != nil ||
					w.WriteRSTStream(stream, http2.ErrCodeCancel) != nil {
					cut.Add(1)
					return
				}
				opened.Add(1)
			}
		})
		calm, busy, grown := s.during(t, flood)
		t.Logf("%s: %d streams on %d connections, %d of which were cut", path, opened.Load(), connections, cut.Load())
		fine(t, calm, busy, grown, 64<<20)
		most := 300 + int(time.Since(begun).Seconds()*300/60) + 1 // a minute's worth at once, and what came since
		if got := s.metric("waitroom_entries_total"); got > most {
			t.Errorf("%s: %d tickets were given, want %d at most", path, got, most)
		}
		if got := s.metric("waitroom_stock_left"); got != 10 {
			t.Errorf("%s: %d units are left, want all", path, got)
		}
	}
}

// metric is what the edge's metrics say of the sale.
func (s *stage) metric(name string) (n int) {
	for line := range strings.Lines(s.admin(http.MethodGet, "/metrics", "", "").body) {
		if rest, ok := strings.CutPrefix(line, name+`{sale="golden-toy"} `); ok {
			_, _ = fmt.Sscan(rest, &n)
		}
	}
	return n
}

// TestFlood_Frames: frames that do nothing keep nobody else waiting, and their
// sender is sent away.
func TestFlood_Frames(t *testing.T) { // alone, for it measures the process
	s := play(t, plot{})
	var sent, there atomic.Int64
	flood := s.attackers(t, sized(12, 200), func(i int, w *wire) {
		if i%6 >= 4 {
			head := http2.HeadersFrameParam{StreamID: 1, BlockFragment: w.head(asked(":method", "POST", ":path", "/c", ":authority", host)...), EndHeaders: i%6 == 4}
			_ = w.WriteHeaders(head)
		}
		for range 1_000_000 {
			if sendIdle(w, i%6) != nil {
				return
			}
			sent.Add(1)
		}
		there.Add(1)
	})
	calm, busy, grown := s.during(t, flood)
	t.Logf("%d frames were taken", sent.Load())
	fine(t, calm, busy, grown, 64<<20)
	if n := there.Load(); n > 0 {
		t.Errorf("%d connections are still there", n)
	}
}

// sendIdle sends one of six frames that do nothing.
func sendIdle(w *wire, which int) error {
	switch which {
	case 0:
		return w.WritePing(false, [8]byte{})
	case 1:
		return w.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 20})
	case 2:
		return w.WriteWindowUpdate(0, 1)
	case 3:
		return w.WritePriority(3, http2.PriorityParam{Weight: 1})
	case 4:
		return w.WriteData(1, false, nil)
	default:
		return w.WriteContinuation(1, false, nil)
	}
}

// TestFlood_Slow: connections that say nothing, or little, or do not read what they
// asked for, keep nobody else waiting.
func TestFlood_Slow(t *testing.T) { // alone, for it measures the process
	large := strings.Repeat("x", 1<<20)
	s := play(t, plot{config: "limits: {address: {request: 10000/s}}", shop: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/large" {
			_, _ = io.WriteString(w, large)
		}
	}})
	n := sized(40, 1000)
	starts := map[string]func(i int){
		"idle":      func(int) { _ = s.rawConn() },
		"slow head": func(int) { _, _ = io.WriteString(s.rawConn(), "GET /cart HTTP/1.1\r\nHost: "+host+"\r\nX: ") },
		"slow body": func(int) {
			_, _ = io.WriteString(s.rawConn(), "POST /cart HTTP/1.1\r\nHost: "+host+"\r\nContent-Length: 100\r\n\r\nx")
		},
		"not reading": func(int) { _, _ = io.WriteString(s.rawConn(), "GET /large HTTP/1.1\r\nHost: "+host+"\r\n\r\n") },
		"slow head, HTTP/2": func(int) {
			w := s.wire(t)
			_ = w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: w.head(asked(":authority", host)...)})
		},
		"slow body, HTTP/2": func(int) {
			w := s.wire(t)
			_ = w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: w.head(asked(":authority", host, ":method", "POST")...), EndHeaders: true})
		},
		"no window, HTTP/2": func(int) {
			w := s.wire(t)
			_ = w.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
			for stream := range uint32(10) {
				w.ask(2*stream+1, asked(":authority", host, ":path", "/large"), nil, nil)
			}
		},
	}
	for name, start := range starts {
		calm, busy, grown := s.during(t, func() {
			for i := range n {
				start(i)
			}
		})
		t.Logf("%s, %d connections", name, n)
		most := max(64<<20, int64(n)*512<<10)
		if name == "no window, HTTP/2" {
			// Of each that is at the origin, 512 at most, 64 KiB are read ahead, and there are
			// 32 KiB of stacks and buffers on its two sides, both of which are in this process.
			most += int64(min(10*n, 512)) * 96 << 10
		}
		fine(t, calm, busy, grown, most)
	}
}

// TestFlood_Heads: heads with many or large fields are refused, and cost what they
// are long.
func TestFlood_Heads(t *testing.T) { // alone, for it measures the process
	s := play(t, plot{})
	many := strings.Repeat("x: y\r\n", 1001)
	one := "x: " + strings.Repeat("y", 900_000) + "\r\n"
	for name, fields := range map[string]string{"1,001 fields": many, "900 KB in one": one} {
		calm, busy, grown := s.during(t, func() {
			for range sized(5, 200) {
				conn := s.rawConn()
				if got, _ := exchange(t, conn, "GET / HTTP/1.1\r\nHost: "+host+"\r\n"+fields+"\r\n", 1); len(got) != 1 || got[0] != http.StatusRequestHeaderFieldsTooLarge {
					t.Errorf("%s: got %v", name, got)
				}
			}
		})
		fine(t, calm, busy, grown, 32<<20)
	}
	// The same field of the table, 16 KiB of times 4 KB.
	calm, busy, grown := s.during(t, func() {
		for range sized(5, 200) {
			w := s.wire(t)
			block := w.head(append(asked(":authority", host), "bomb", strings.Repeat("b", 4000))...)
			block = append(block, strings.Repeat("\xbe", 15_000-len(block))...)
			w.sent(w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block, EndHeaders: true, EndStream: true}))
			if got := w.outcome(1); got != "431" {
				t.Errorf("a bomb: got %s", got)
			}
			_ = w.Conn.Close()
		}
	})
	fine(t, calm, busy, grown, 32<<20)
}

// TestBrowser_ManyAssets: 120 at once over one connection all arrive.
func TestBrowser_ManyAssets(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	var dials atomic.Int64
	b := s.browser()
	protocols := &http.Protocols{}
	protocols.SetHTTP2(true)
	b.Transport = &http.Transport{
		Protocols:       protocols,
		HTTP2:           &http.HTTP2Config{StrictMaxConcurrentRequests: true},
		TLSClientConfig: &tls.Config{RootCAs: s.ca, ServerName: host},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			dials.Add(1)
			return s.dial(ctx, network, "")
		},
	}
	defer b.CloseIdleConnections()
	b.get("/") // the page before its assets
	var all sync.WaitGroup
	for i := range 120 {
		all.Go(func() {
			path := fmt.Sprintf("/asset-%d", i)
			req, _ := http.NewRequest(http.MethodGet, "https://"+host+path, nil) // a plain address
			if r, err := b.send(req); err != nil || r.StatusCode != http.StatusOK || r.body != "shop: "+path {
				t.Errorf("%s: %d %s, %v", path, r.StatusCode, r.body, err)
			}
		})
	}
	all.Wait()
	if dials.Load() != 1 {
		t.Errorf("%d connections were made", dials.Load())
	}
}

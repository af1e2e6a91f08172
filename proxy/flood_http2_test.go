package proxy_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// TestFlood_HTTP2: what one client can do to a server of HTTP/2 ends with its connection,
// costs no more memory while it is on than is stated for each connection, on both sides
// of it, and leaves nothing behind, no goroutine either.
func TestFlood_HTTP2(t *testing.T) { // alone, for it measures the process
	s := play(t, plot{quiet: true})
	s.browser().get("/cart").code(t, "before", http.StatusOK)
	connections := sized(20, 500)
	haveGoroutines(300 * connections)
	var seen int64
	for _, test := range []struct {
		name  string
		flood func(w *wire) // until its connection ends, or it has done what it wanted
		ends  bool          // the server ends it
		each  int64         // bytes of each connection
	}{
		{"streams opened and given up", func(w *wire) {
			for i := range uint32(sized(2000, 50_000)) { //nolint:gosec // there are few
				stream := 2*i + 1
				if w.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: w.head(asked(":authority", host, ":path", "/toys/golden")...), EndHeaders: true, EndStream: true}) != nil ||
					w.WriteRSTStream(stream, http2.ErrCodeCancel) != nil {
					return
				}
			}
		}, false, 1 << 20},
		{"a head without end", func(w *wire) {
			_ = w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: w.head(asked(":authority", host)...)})
			for w.WriteContinuation(1, false, w.head("x", strings.Repeat("y", 10))) == nil {
			}
		}, true, 256 << 10},
		{"settings by the hundred", func(w *wire) {
			all := make([]http2.Setting, 2700)
			for i := range all {
				all[i] = http2.Setting{ID: http2.SettingID(1000 + i), Val: 1} //nolint:gosec // there are few
			}
			for w.WriteSettings(all...) == nil {
			}
		}, true, 256 << 10},
		{"pings", func(w *wire) {
			for w.WritePing(false, [8]byte{}) == nil {
			}
		}, true, 256 << 10},
		{"answers byte by byte", func(w *wire) {
			_ = w.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1})
			for i := range uint32(100) {
				_ = w.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*i + 1, BlockFragment: w.head(asked(":authority", host, ":path", "/toys/golden")...), EndHeaders: true, EndStream: true})
			}
			for i := uint32(0); w.WriteWindowUpdate(2*(i%100)+1, 1) == nil; i++ {
			}
		}, true, 2 << 20},
		{"a table of fields of 4 GB", func(w *wire) {
			_ = w.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: 1<<32 - 1})
			for i := range uint32(sized(300, 2000)) { //nolint:gosec // there are few
				stream := 2*i + 1
				if w.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: w.head(asked(":authority", host, ":path", fmt.Sprint("/toys/golden?", i), "x", fmt.Sprint(strings.Repeat("y", 1000), i))...), EndHeaders: true, EndStream: true}) != nil {
					return
				}
				if i%50 == 49 {
					time.Sleep(5 * time.Millisecond) // that answers are written
				}
			}
		}, false, 4 << 20},
		{"nothing at all", func(*wire) {}, false, 256 << 10},
	} {
		goroutines := settled()
		had, _ := inUse()
		var pause pause
		was := pause.heap()
		over := make(chan struct{})
		var all sync.WaitGroup
		for range connections {
			w := pause.over(s.wire(t))
			heard := make(chan struct{})
			go func() {
				defer close(heard)
				if _, err := io.Copy(io.Discard, w.Conn); test.ends && errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("%s: the connection was not ended", test.name)
				}
			}()
			all.Go(func() {
				test.flood(w)
				if !test.ends {
					<-over
					_ = w.Conn.Close()
				}
				<-heard
				_ = w.Conn.Close()
			})
		}
		ended := make(chan struct{})
		go func() { defer close(ended); all.Wait() }()
		grown := (pause.most(ended, over) - was) / int64(connections)
		t.Logf("%s: %d KiB for each connection, both sides", test.name, grown>>10)
		if seen = max(seen, grown); grown > test.each {
			t.Errorf("%s: each connection took %d KiB, want %d at most", test.name, grown>>10, test.each>>10)
		}
		<-ended
		s.until("nobody is left", func() bool { return settled() <= goroutines+5 })
		// Stacks are what the goroutines have, which are counted, and what Go keeps for others.
		s.until("nothing is left of "+test.name, func() bool { live, _ := inUse(); return live-had <= int64(connections)*48<<10 })
		s.somebody().get("/cart").code(t, test.name, http.StatusOK)
	}
	if seen < 16<<10 { // where floods end at once there is nothing to see of them
		t.Errorf("no flood took more than %d KiB a connection: nothing is measured", seen>>10)
	}
}

// haveGoroutines makes so many and ends them: what describes one is kept for the next for
// ever, and would be taken for what a flood left.
func haveGoroutines(n int) {
	end := make(chan struct{})
	var all sync.WaitGroup
	for range n {
		all.Go(func() { <-end })
	}
	close(end)
	all.Wait()
}

// A pause stops floods between two writes, so that what they made others throw away can
// be told from what is held for them.
type pause struct{ sync.RWMutex }

// over makes a client write where it can be stopped.
func (p *pause) over(w *wire) *wire {
	w.Framer = http2.NewFramer(paused{w.Conn, p}, w.Conn)
	w.AllowIllegalWrites = true
	return w
}

type paused struct {
	io.Writer
	pause *pause
}

func (p paused) Write(b []byte) (int, error) {
	p.pause.RLock()
	defer p.pause.RUnlock()
	return p.Writer.Write(b)
}

// heap is what is in use while all stand still.
func (p *pause) heap() int64 {
	p.Lock()
	defer p.Unlock()
	return heap()
}

// most is the most that is in use while floods go on, until they have ended, or say
// nothing more: then they are over.
func (p *pause) most(ended <-chan struct{}, over chan<- struct{}) (most int64) {
	for begun := time.Now(); time.Since(begun) < 2*time.Second; {
		most = max(most, p.heap())
		select {
		case <-ended:
			close(over)
			return most
		case <-time.After(50 * time.Millisecond):
		}
	}
	close(over)
	return max(most, p.heap())
}

// settled is how many goroutines there are.
func settled() int {
	runtime.Gosched()
	return runtime.NumGoroutine()
}

// TestFlood_OpenStreams: however many streams wait for their bodies on however many
// connections, one address has no more of them than its share; who is beyond is told
// so, and who is of another address is served.
func TestFlood_OpenStreams(t *testing.T) { // alone, for it measures the process
	s := play(t, plot{})
	refused := make(chan struct{})
	var once sync.Once
	var connections sync.WaitGroup
	var wires []*wire
	most := int(s.count("waitroom_connections_room "))
	share := min(most/2, max(512, most/8))
	begun, was := 0, heap()
	for begun < share+512 {
		w := s.wire(t)
		wires = append(wires, w)
		connections.Go(func() {
			for {
				f, err := w.ReadFrame()
				if err != nil {
					return
				}
				if h, ok := f.(*http2.MetaHeadersFrame); ok && h.PseudoValue("status") == "503" {
					once.Do(func() { close(refused) })
				}
			}
		})
		for i := range uint32(120) {
			w.sent(w.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*i + 1, EndHeaders: true,
				BlockFragment: w.head(asked(":authority", host, ":method", "POST", ":path", "/toys/golden/buy", "content-length", "10")...)}))
			begun++
		}
	}
	select {
	case <-refused:
	case <-time.After(20 * time.Second):
		t.Errorf("%d streams are open, and none was refused, want %d at most", begun, share)
	}
	t.Logf("%d streams: %d KiB for each, both sides", begun, (heap()-was)/int64(begun)>>10)
	s.somebody().get("/toys/golden").code(t, "somebody else", http.StatusOK)
	for _, w := range wires {
		_ = w.Conn.Close()
	}
	connections.Wait()
}

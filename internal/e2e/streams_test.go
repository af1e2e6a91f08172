package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// late is how much later than at the shop's own door a piece may be at the edge's.
const late = 200 * time.Millisecond

// TestStreams: each event is there at once, over both protocols, with all that a
// running edge has on. Somebody listens to the shop itself at the same time: what
// makes that one wait too is the machine, and so is what keeps a core from the edge.
func TestStreams(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	count := 8
	if whole() {
		count = 120
	}
	bothProtocols(t, func(t *testing.T, http2 bool) {
		for _, stream := range []struct{ target, form string }{
			{"/events", "id: %d data: %d"}, {"/lines", `{"id":%d,"sent":%d}`},
		} {
			t.Run(stream.target, func(t *testing.T) {
				t.Parallel()
				target := fmt.Sprintf("%s?n=%d&every=1s", stream.target, count)
				var ruler, measured, starved []time.Duration
				var both sync.WaitGroup
				both.Go(func() { ruler, _ = f.listen(t, http.DefaultClient, f.direct+target, stream.form) })
				both.Go(func() { measured, starved = f.listen(t, f.client(http2), f.url(target), stream.form) })
				both.Wait()
				if pieces := count + 1; len(ruler) != pieces || len(measured) != pieces { // and the head
					t.Fatalf("%d pieces came, and %d at the shop's own door, want %d", len(measured), len(ruler), pieces)
				}
				for i, took := range measured {
					if took > late+ruler[i]+starved[i] {
						t.Errorf("piece %d took %v, at the shop's own door %v; the edge waited %v for a core", i, took, ruler[i], starved[i])
					}
				}
				t.Logf("the slowest of %d took %v, at the shop's own door %v", count, slices.Max(measured), slices.Max(ruler))
			})
		}
	})
}

// listen reads a stream to its end and gives how long each piece was under way:
// the head, which comes before there is an event, and each event; and how long the
// edge was kept from running since the piece before.
func (f *front) listen(t *testing.T, c *http.Client, url, form string) (took, starved []time.Duration) {
	before := f.starved(t)
	note := func(d time.Duration) {
		now := f.starved(t)
		took, starved, before = append(took, d), append(starved, max(0, now-before)), now
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	req.Header.Set("Accept-Encoding", "gzip, br, zstd") // as browsers do
	begun := time.Now()
	res, err := c.Do(req)
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	defer res.Body.Close()
	note(time.Since(begun))
	var id int
	var sent int64
	lines := bufio.NewScanner(res.Body)
	for piece := ""; lines.Scan(); {
		piece = strings.TrimSpace(piece + " " + lines.Text())
		if _, err := fmt.Sscanf(piece, form, &id, &sent); err == nil {
			note(time.Since(time.Unix(0, sent)))
			piece = ""
		}
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream broke: %v", err)
	}
	return took, starved
}

// starved is [testserver.Program.Starved], or a fault of the test.
func (f *front) starved(t *testing.T) time.Duration {
	d, err := f.Starved()
	if err != nil {
		t.Error(err)
	}
	return d
}

// TestWebSocketIsHeld: a conversation that pauses goes on.
func TestWebSocketIsHeld(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	hold, silence := 9*time.Second, 5*time.Second
	if whole() {
		hold, silence = 90*time.Second, 40*time.Second
	}
	ctx, cancel := context.WithTimeout(t.Context(), hold+patience)
	defer cancel()
	conn, res, err := websocket.Dial(ctx, f.url("/chat"), &websocket.DialOptions{
		HTTPClient: f.client(false), HTTPHeader: http.Header{"Origin": {strings.TrimSuffix(f.url("/"), "/")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	if res.StatusCode != http.StatusSwitchingProtocols {
		t.Errorf("opened with %d", res.StatusCode)
	}
	conn.SetReadLimit(1 << 20)
	begun := time.Now()
	for i := 0; time.Since(begun) < hold; i++ {
		for kind, word := range map[websocket.MessageType][]byte{
			websocket.MessageText: fmt.Appendf(nil, "word %d", i), websocket.MessageBinary: bytes.Repeat([]byte{0, byte(i), 0xff}, 50_000),
		} {
			if err := conn.Write(ctx, kind, word); err != nil {
				t.Fatalf("after %v: write: %v", time.Since(begun), err)
			}
			gotKind, got, err := conn.Read(ctx)
			if err != nil || gotKind != kind || !bytes.Equal(got, word) {
				t.Fatalf("after %v: %d bytes of %v, %v, want the %d that were sent", time.Since(begun), len(got), gotKind, err, len(word))
			}
		}
		rest := time.Second
		if i == 0 {
			rest = silence
		}
		pause(ctx, rest)
	}
	t.Logf("held for %v", time.Since(begun).Round(time.Second))
	if err := conn.Close(websocket.StatusNormalClosure, "good bye"); err != nil {
		t.Errorf("close: %v", err)
	}
	eventually(t, "one record of the conversation", func() bool { return len(f.records()) == 1 })
	if got := f.records()[0]; got["status"] != 101.0 || got["decision"] != "origin" {
		t.Errorf("its record is %v", got)
	}
}

// TestWebSocketsThatAreRefused: the shop's no comes through, and a page of another
// host does not get in behind the shop's back.
func TestWebSocketsThatAreRefused(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	for target, want := range map[string]int{"/chat": http.StatusForbidden, "/account": http.StatusFound} {
		_, res, err := websocket.Dial(t.Context(), f.url(target), &websocket.DialOptions{
			HTTPClient: f.client(false), HTTPHeader: http.Header{"Origin": {"https://evil.test"}},
		})
		if err == nil || res == nil || res.StatusCode != want {
			t.Errorf("%s: %v, %v, want %d", target, res, err, want)
		}
	}
}

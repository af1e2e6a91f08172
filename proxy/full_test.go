package proxy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/http2"
)

// TestMemory_AllFull: with all full at once, limits, the cache, connections and the
// requests on them, an edge takes no more than the sum that docs/operations.md makes of
// them, and answers.
func TestMemory_AllFull(t *testing.T) { // alone, for it measures the process
	const (
		connections, streams = 500, 3
		megabyte             = 1 << 20
		cached, object       = 32 * megabyte, 512 << 10

		// What docs/operations.md says: of a connection with the client's side of it, which
		// is here too, and of a request.
		perConn, perRequest, perLimits = 2 * 64 << 10, 16 << 10, 121 * megabyte
	)
	picture := make([]byte, object)
	all := "{join: 1/h, claim: 1/h, buy: 1/h, request: 1/h}"
	s := play(t, plot{
		config: "cache: {size: 32MiB}\nlimits: {address: {join: 1/h, claim: 1/h, buy: off, request: off}, device: {claim: 1/h, buy: 1/h, request: 1/h}, account: " + all + ", block: {join: 1/h, burst: 10}}",
		shop: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "public, max-age=3600")
			_, _ = w.Write(picture)
		},
	})
	s.browser().get("/toys/golden").code(t, "before", http.StatusOK)
	was := heap()
	if keys := s.edge.FillLimits(); keys < 500_000 {
		t.Errorf("%d keys are counted, want all that can be", keys)
	}
	limits := heap()
	fill := s.browser()
	for i := range 2 * cached / object { // half of which have gone again
		fill.get(fmt.Sprint("/picture/", i)).code(t, "a picture", http.StatusOK)
	}
	fill.CloseIdleConnections()
	if held := s.count("waitroom_cache_bytes "); held < cached-2*object || held > cached {
		t.Errorf("the cache holds %.0f KiB, want nearly %d", held/1024, cached>>10)
	}
	if limits-was < 50*megabyte {
		t.Errorf("the limits take %d MiB, want that they are seen", (limits-was)/megabyte)
	}
	kept := heap()
	var wires []*wire
	for range connections {
		wires = append(wires, s.wire(t))
	}
	for _, w := range wires { // once all are there: a body that does not come is not waited for for ever
		for i := range uint32(streams) {
			w.sent(w.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*i + 1, EndHeaders: true,
				BlockFragment: w.head(asked(":authority", host, ":method", "POST", ":path", "/toys/golden/buy", "content-length", "10")...)}))
		}
	}
	s.until("all are there", func() bool { return s.count(`waitroom_connections{state="served"} `) >= connections })
	s.somebody().get("/toys/golden").code(t, "with everything full", http.StatusOK)
	grown := heap() - was
	most := int64(perLimits + cached + connections*perConn + connections*streams*perRequest)
	t.Logf("%d MiB, of which limits take %d, the cache %d; %d are the bound", grown/megabyte, (limits-was)/megabyte, (kept-limits)/megabyte, most/megabyte)
	if grown > most {
		t.Errorf("all together takes %d MiB, want %d at most", grown/megabyte, most/megabyte)
	}
	for _, w := range wires {
		_ = w.Conn.Close()
	}
}

// count is one figure of the metrics, by its name and labels.
func (s *stage) count(name string) (n float64) {
	for line := range strings.Lines(s.admin(http.MethodGet, "/metrics", "", "").body) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			_, _ = fmt.Sscan(rest, &n)
		}
	}
	return n
}

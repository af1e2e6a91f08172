package proxy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/http2"
)

// TestMemory_AllFull: with all tables full at once, limits, connections and the
// requests on them, an edge takes no more than the sum that docs/operations.md makes of
// them, and answers.
func TestMemory_AllFull(t *testing.T) { // alone, for it measures the process
	const (
		connections, streams = 500, 3
		megabyte             = 1 << 20

		// What docs/operations.md says: of a connection with the client's side of it, which
		// is here too, and of a request.
		perConn, perRequest, perLimits = 2 * 64 << 10, 16 << 10, 121 * megabyte
	)
	all := "{join: 1/min, claim: 1/min, buy: 1/min, request: 1/min}"
	s := play(t, plot{
		config: "limits: {address: {join: 1/min, claim: 1/min, buy: off, request: off}, device: {claim: 1/min, buy: 1/min, request: 1/min}, account: " + all + ", block: {join: 1/min, burst: 10}}",
	})
	s.browser().get("/toys/golden").code(t, "before", http.StatusOK)
	was := heap()
	if keys := s.edge.FillLimits(); keys < 500_000 {
		t.Errorf("%d keys are counted, want all that can be", keys)
	}
	limits := heap()
	var wires []*wire
	for range connections {
		w := s.wire(t)
		wires = append(wires, w)
		for i := range uint32(streams) {
			w.sent(w.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*i + 1, EndHeaders: true,
				BlockFragment: w.head(asked(":authority", host, ":method", "POST", ":path", "/toys/golden/buy", "content-length", "10")...)}))
		}
	}
	s.until("all are there", func() bool { return s.count(`waitroom_connections{state="served"} `) >= connections })
	s.somebody().get("/toys/golden").code(t, "with everything full", http.StatusOK)
	grown := heap() - was
	most := int64(perLimits + connections*perConn + connections*streams*perRequest)
	t.Logf("%d MiB, of which limits take %d; %d are the bound", grown/megabyte, (limits-was)/megabyte, most/megabyte)
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

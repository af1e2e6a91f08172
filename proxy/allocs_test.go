package proxy_test

import (
	"context"
	"math"
	"net/http"
	"testing"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/proxy/express"
)

// forgotten is how many allocations a request takes besides, since pools have lost what they
// were given: none but under the race detector, which has them lose some.
var forgotten float64

// hot is a request that is asked for by the million, and how much new memory it may take
// on the express lane.
type hot struct {
	name    string
	status  int
	most    float64 // allocations
	request *express.Request
}

// hots are those of a stage on which one sale is open, and one shopper in its line.
func (b *both) hots(in *browser) []hot {
	ask := func(method, target string, fields ...[]string) *express.Request {
		r, _ := b.request(of(method, target, fields...), false)
		return r
	}
	browses := f("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Accept-Language", "de-DE,de;q=0.8,en;q=0.5",
		"Accept-Encoding", "gzip, deflate, br, zstd", "Sec-Fetch-Site", "same-origin")
	ticket := f("Cookie", "session=3f7a; "+ticketCookie+"="+in.cookie(ticketCookie))
	polls := f("Accept", "*/*", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty")
	return []hot{
		{"status", 200, 0, ask("GET", ownPath+"status", browses, polls)},
		{"page", 200, 0, ask("GET", pagePath, browses, navigates)},
		{"me", 200, 0, ask("GET", ownPath+"me", browses, polls, ticket)},
		{"waiting page", 200, 0, ask("GET", ownPath+"line", browses, navigates, ticket)},
		{"not there", 405, 8, ask("GET", ownPath+"ticket", browses, polls)},
	}
}

// once asks for one, as the lane does.
func (b *both) once(h hot) {
	a := b.edge.Answer(h.request)
	if a == nil || a.Status != h.status {
		b.t.Fatalf("%s: %+v, want status %d", h.name, a, h.status)
	}
	b.edge.Done(h.request, a, len(a.Body))
}

// gone are those of a stage on which all is sold.
func (b *both) gone(in *browser) []hot {
	hots := b.hots(in)
	page := hots[1].request.Fields
	buys := *hots[0].request
	buys.Method, buys.Target = "POST", "/toys/golden/buy"
	opens := buys
	opens.Method, opens.Target, opens.Fields = "GET", ownPath+"line", page
	return []hot{{"sold out", 409, 1, &buys}, {"sold out, as a page", 200, 2, &opens}}
}

// above are those of a stage on which everybody is above a limit.
func (b *both) above(in *browser) []hot {
	hots := b.hots(in)
	polls := *hots[2].request
	nobody := polls
	nobody.Fields = hots[0].request.Fields
	page := polls
	page.Target, page.Fields = ownPath+"line", hots[1].request.Fields
	return []hot{{"slow down, by ticket", 429, 3, &polls}, {"slow down, by address", 429, 5, &nobody}, {"slow down, as a page", 429, 8, &page}}
}

func (b *both) allocs(all []hot) {
	b.t.Helper()
	for _, h := range all {
		h.most += forgotten
		for _, http2 := range []bool{false, true} {
			h.request.HTTP2 = http2
			for range 300 { // pages for the few waits that there are
				b.once(h)
			}
			got := math.Inf(1)
			for range 10 { // what the test's own Redis takes meanwhile is counted, too
				if got = min(got, testing.AllocsPerRun(200, func() { b.once(h) })); got <= h.most {
					break
				}
			}
			if got > h.most {
				b.t.Errorf("%s, HTTP/2 %t: %v allocations, want %v at most", h.name, http2, got, h.most)
			}
		}
	}
}

// inLine is a stage on which a sale is open, with somebody who waits.
func inLine(t testing.TB) (*both, *browser) {
	t.Helper()
	s := play(t, plot{page: packedPage, quiet: true, sale: "admit: 1/min\nburst: 1"})
	var in *browser
	for range 30 {
		in = s.browser()
		in.join().code(t, "join", http.StatusCreated)
	}
	in.until("waiting")
	_ = in.get(pagePath)
	return s.both(), in
}

// TestHotAnswersTakeNoMemory: what is answered by the million takes no new memory on the
// express lane. The test is not parallel: others would be counted too.
func TestHotAnswersTakeNoMemory(t *testing.T) {
	b, in := inLine(t)
	b.allocs(b.hots(in))
}

// TestRefusalsTakeLittleMemory, whether all is gone or somebody asks too often.
func TestRefusalsTakeLittleMemory(t *testing.T) {
	gone, late := soldOut(t)
	gone.allocs(gone.gone(late))
	tight, often := tight(t)
	tight.allocs(tight.above(often))
}

// soldOut is a stage on which there is nothing left for good, with somebody who has nothing.
func soldOut(t testing.TB) (*both, *browser) {
	t.Helper()
	s := play(t, plot{stock: 1, quiet: true, page: packedPage})
	winner, late := s.browser().called(), s.browser()
	late.join()
	r := winner.buy("").want(t, "buy", http.StatusCreated, "reserved")
	if err := s.gate.Tell(context.Background(), gate.Note{Reservation: r.field("reservation"), Status: gate.Paid, Version: 2, Qty: 1}); err != nil {
		t.Fatal(err)
	}
	s.state("sold_out")
	_ = late.get(pagePath)
	return s.both(), late
}

// tight is a stage on which somebody has asked too often.
func tight(t testing.TB) (*both, *browser) {
	t.Helper()
	s := play(t, plot{quiet: true, page: packedPage, config: "limits: {address: {request: 1/h, join: 1000/s}, device: {request: 1/h}}"})
	someone := s.browser()
	someone.join()
	b := s.both()
	for range 20 { // until there is nothing left to ask with
		for _, h := range b.above(someone) {
			if a := b.edge.Answer(h.request); a != nil {
				b.edge.Done(h.request, a, 0)
			}
		}
	}
	return b, someone
}

func BenchmarkDesk(b *testing.B) {
	open, in := inLine(b)
	open.bench(b, open.hots(in))
	gone, late := soldOut(b)
	gone.bench(b, gone.gone(late))
	tight, often := tight(b)
	tight.bench(b, tight.above(often))
}

func (o *both) bench(b *testing.B, all []hot) {
	for _, h := range all {
		for version, http2 := range map[string]bool{"1": false, "2": true} {
			b.Run(h.name+"/"+version, func(b *testing.B) {
				h.request.HTTP2 = http2
				b.ReportAllocs()
				for b.Loop() {
					o.once(h)
				}
			})
		}
	}
}

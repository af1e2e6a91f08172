package proxy

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/proxy/stitch"
	"github.com/waitroom/waitroom/static"
)

// nowhere takes an answer and forgets it.
type nowhere struct{ h http.Header }

func (n nowhere) Header() http.Header         { return n.h }
func (n nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n nowhere) WriteHeader(int)             {}

// refusing is one refusal above a limit, said to who asks with a field.
func refusing(h *house, field, value string) func() {
	r, _ := http.NewRequest(http.MethodPost, "https://shop.example.com/toys/golden/buy", nil) // a plain address
	r.Header.Set(field, value)
	w, over, q := nowhere{http.Header{}}, &excess{limit: "device_buy", retry: time.Second}, asks(r)
	return func() {
		clear(w.h)
		a := h.tooMany(over)
		a.send(w, q, h)
	}
}

// TestRefusalsAreCheap: a refusal costs a handful of small allocations, be it a page or
// JSON.
func TestRefusalsAreCheap(t *testing.T) {
	h := &house{ready: newReady(), pack: stitch.NewPacker(), speech: newSpeech()}
	for what, most := range map[string]float64{"cors": 10, "navigate": 16} {
		refuse := refusing(h, "Sec-Fetch-Mode", what)
		for range 20 { // the few waits that there are
			refuse()
		}
		if got := testing.AllocsPerRun(1000, refuse); got > most {
			t.Errorf("%s: %.1f allocations, want %v at most", what, got, most)
		}
	}
}

// TestPrints are what static renders, for waits that are not shorter, and few.
func TestPrints(t *testing.T) {
	t.Parallel()
	p := newReady()
	for i := range 1000 {
		wait := time.Duration(i) * 7777 * time.Millisecond
		got, err := p.render(static.SlowDown, &static.View{Title: "Toy", Retry: wait, Host: "Shop.example.COM", Entered: uint64(i), Opens: wait})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := static.Render(static.SlowDown, static.View{Title: "Toy", Retry: coarse(wait)})
		if string(got.plain) != string(want) || unpacked(t, got.packed) != string(want) {
			t.Fatalf("after %v the page is another", wait)
		}
		if c := coarse(wait); c < wait || c > wait+max(time.Second, wait/6) {
			t.Errorf("coarse(%v) = %v", wait, c)
		}
	}
	for i := range 1000 { // people who come make no other pages
		_, _ = p.render(static.AllHeld, &static.View{Title: "Toy", Entered: uint64(i), Refresh: time.Duration(5000+i) * time.Millisecond})
	}
	if _, ok := p.pages.Get(readyKey{static.AllHeld, static.View{Title: "Toy", Refresh: 6 * time.Second}}); !ok {
		t.Error("a page for all was rendered for each")
	}
	if n := p.pages.Len(); n > mostReady {
		t.Errorf("%d pages are kept, want %d at most", n, mostReady)
	}
}

func unpacked(t *testing.T, packed []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestPrintsGoPacked to whom takes that, and say that it depends.
func TestPrintsGoPacked(t *testing.T) {
	t.Parallel()
	h := &house{ready: newReady(), pack: stitch.NewPacker(), speech: newSpeech()}
	for accept, want := range map[string]string{"gzip, deflate, br": "gzip", "gzip;q=0": "", "": "", "br": "", "identity, gzip;q=0.5": ""} {
		r := httptest.NewRequest(http.MethodPost, "/toys/golden/buy", nil)
		r.Header.Set("Accept-Encoding", accept)
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		w := httptest.NewRecorder()
		a := h.tooMany(&excess{limit: "device_buy", retry: time.Second})
		a.send(w, asks(r), h)
		body := w.Body.String()
		if want != "" {
			body = unpacked(t, w.Body.Bytes())
		}
		if got := w.Header(); got.Get("Content-Encoding") != want || got.Get("Vary") != "Accept-Encoding" || !strings.HasSuffix(body, "</html>\n") {
			t.Errorf("Accept-Encoding %q: %q, Vary %q, %d bytes that end in %.20q",
				accept, got.Get("Content-Encoding"), got.Get("Vary"), len(body), body[max(0, len(body)-20):])
		}
	}
}

func BenchmarkRefusal(b *testing.B) {
	h := &house{ready: newReady(), pack: stitch.NewPacker(), speech: newSpeech()}
	for _, what := range []string{"cors", "navigate"} {
		b.Run(what, func(b *testing.B) {
			refuse := refusing(h, "Sec-Fetch-Mode", what)
			b.ReportAllocs()
			for b.Loop() {
				refuse()
			}
		})
	}
}

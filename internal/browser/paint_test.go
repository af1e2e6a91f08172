package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/waitroom/waitroom/internal/chromium"
)

// painted are the instants of a first visit, in milliseconds since it began.
type painted struct {
	First, Contentful float64
	Arrived           float64 // the last byte of the document
	Bytes             float64 // of it, as they came
	Besides           int     // what was asked for before the first paint
}

const paints = `new Promise(done => {
	const tell = () => {
		const [document] = performance.getEntriesByType('navigation'), paint = Object.fromEntries(performance.getEntriesByType('paint').map(p => [p.name, p.startTime]));
		if (!paint['first-contentful-paint'] || !document.responseEnd) return setTimeout(tell, 50);
		done(JSON.stringify({ First: paint['first-paint'], Contentful: paint['first-contentful-paint'], Arrived: document.responseEnd, Bytes: document.encodedBodySize,
			Besides: performance.getEntriesByType('resource').filter(e => e.startTime < paint['first-contentful-paint'] && !/status$/.test(e.name)).length }));
	};
	tell();
})`

// visit goes to an address for the first time, in a new profile, over such a network.
func visit(t *testing.T, b *chromium.Browser, address string, like network.Conditions, slower float64) (p painted) {
	t.Helper()
	w := &window{b.Open(t, "about:blank"), t}
	w.size(390, 844)
	w.network(like)
	w.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: slower})
		return err
	}))
	w.Goes(address)
	if err := json.Unmarshal([]byte(w.Says(paints)), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// profiles are those of Chromium's developer tools: what a request feels of them.
var profiles = []struct {
	name string
	like network.Conditions
}{
	{"Slow 4G", network.Conditions{Latency: 562.5, DownloadThroughput: 1.44e6 / 8, UploadThroughput: 675e3 / 8}},
	{"3G", network.Conditions{Latency: 2000, DownloadThroughput: 400e3 / 8, UploadThroughput: 400e3 / 8}},
}

// TestFirstPaint: who comes for the first time sees the page once the document is there,
// and nothing else was asked for before. With -update it is measured as a phone would.
func TestFirstPaint(t *testing.T) {
	var plain atomic.Bool
	address := secureSale(t, &plain) + "/.waitroom/toy/line"
	trusting, err := chromium.Start(chromedp.Flag("ignore-certificate-errors", true)) // nobody has signed this one
	if err != nil {
		t.Fatal(err)
	}
	defer trusting.Close()
	fast := network.Conditions{DownloadThroughput: -1, UploadThroughput: -1}
	p := visit(t, trusting, address, fast, 1)
	if p.Besides != 0 {
		t.Errorf("%d things were asked for before anything could be seen", p.Besides)
	}
	if p.Bytes > most {
		t.Errorf("the document came in %.0f bytes, want %d at most", p.Bytes, most)
	}
	if p.Contentful > p.Arrived+5000 {
		t.Errorf("it was there after %.0f ms, and to be seen after %.0f", p.Arrived, p.Contentful)
	}
	if !*update {
		return
	}
	text := "\n| network | document | bytes | it has arrived | first paint | first contentful paint |\n|---|---|---:|---:|---:|---:|\n"
	for _, profile := range profiles {
		for _, how := range []string{"packed", "plain"} {
			plain.Store(how == "plain")
			var all []painted
			for range 5 {
				all = append(all, visit(t, trusting, address, profile.like, 4))
			}
			slices.SortFunc(all, func(a, b painted) int { return int(a.Contentful - b.Contentful) })
			middle := all[2]
			text += fmt.Sprintf("| %s | %s | %.0f | %.0f ms | %.0f ms | %.0f ms |\n", profile.name, how, middle.Bytes, middle.Arrived, middle.First, middle.Contentful)
		}
	}
	text += fmt.Sprintf("\nMeasured on %s, %d processors, other work beside it. Slow 4G: 1.44 Mbit/s and 562 ms for each request; 3G: 400 kbit/s and 2 s.\n\n", machine(), runtime.NumCPU())
	section(t, "paint", text)
}

// machine is the processor's name.
func machine() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	_, name, _ := strings.Cut(string(info), "model name")
	name, _, _ = strings.Cut(name, "\n")
	return strings.Trim(name, "\t: ")
}

// secureSale is a sale whose doors are open, served over TLS as an edge is; to whom asks
// for plain, its pages are not packed.
func secureSale(t *testing.T, plain *atomic.Bool) string {
	t.Helper()
	s := announce(t, time.Hour)
	s.stock(10)
	s.start()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if plain.Load() {
			r.Header.Del("Accept-Encoding")
		}
		s.Config.Handler.ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
}

package browser_test

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/proxy/challenge"
	"github.com/waitroom/waitroom/static"
)

// asker plays an edge that asks who wants a ticket. Who gets one is led to a line
// that is a page of the sale's.
type asker struct {
	*httptest.Server
	t      *testing.T
	signer *challenge.Signer
	bits   int
	after  time.Duration
	check  bool
	refuse []int // codes that the first wishes are answered with

	mu     sync.Mutex
	shown  []fields
	issued time.Time // the newest challenge
	came   time.Time // the last wish
}

// checkScript is what a service's own would do at once.
const checkScript = "window.waitroomChecked('a token')"

func openAsker(t *testing.T, d *asker) *asker {
	signer, err := challenge.NewSigner([]configs.Secret{configs.NewSecret("a secret of these tests, long enough")})
	if err != nil {
		t.Fatal(err)
	}
	d.t, d.signer = t, signer
	d.Server = httptest.NewServer(d)
	t.Cleanup(d.Close)
	return d
}

func (d *asker) ask() static.Asked {
	d.issued = time.Now()
	a := static.Asked{Challenge: d.signer.Sign("toy", challenge.New(d.bits, d.issued)), Bits: d.bits, Puzzles: challenge.Puzzles, After: d.after, Behind: true}
	if d.check {
		a.Check, a.SiteKey = "turnstile", "key"
	}
	return a
}

func (d *asker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch r.URL.Path {
	case "/.waitroom/toy/line":
		d.line(w, r)
	case "/.waitroom/toy/challenge":
		a := d.ask()
		_ = json.NewEncoder(w).Encode(fields{"challenge": a.Challenge, "bits": a.Bits, "puzzles": a.Puzzles, "after_ms": a.After.Milliseconds()})
	case "/.waitroom/toy/ticket":
		d.ticket(w, r)
	case "/.waitroom/toy/status":
		_ = json.NewEncoder(w).Encode(fields{"state": "doors"})
	case "/api.js":
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write([]byte(checkScript))
	case "/blank", "/favicon.ico":
	default:
		script, ok := static.Asset(strings.TrimPrefix(r.URL.Path, "/.waitroom/assets/"))
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write(script)
	}
}

// line is the page that asks, or the end of it for who has a ticket.
func (d *asker) line(w http.ResponseWriter, r *http.Request) {
	p, v := static.Prove, static.View{Sale: "toy", Title: "Golden toy", ProductPage: "/toys/golden"}
	if _, err := r.Cookie("ticket"); err == nil {
		p = static.Ended // asks for nothing that matters here
	} else {
		v.Asked = d.ask()
	}
	html, _ := static.Render(p, v)
	own := strings.NewReplacer(
		"https://challenges.cloudflare.com/turnstile/v0/api.js", d.URL+"/api.js",
		"https://challenges.cloudflare.com", d.URL,
	)
	w.Header().Set("Content-Security-Policy", own.Replace(static.ContentSecurityPolicy(p, v)))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(own.Replace(string(html))))
}

func (d *asker) ticket(w http.ResponseWriter, r *http.Request) {
	var shown fields
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		_ = json.NewDecoder(r.Body).Decode(&shown)
	} else {
		_ = r.ParseForm()
		shown = fields{"challenge": r.PostForm.Get("challenge"), "solution": r.PostForm.Get("solution"), "form": true}
	}
	d.shown, d.came = append(d.shown, shown), time.Now()
	if n := len(d.shown); n <= len(d.refuse) {
		if d.refuse[n-1] == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(d.refuse[n-1])
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "ticket", Value: "1", Path: "/"})
	if shown["form"] == true {
		w.Header().Set("Location", "/.waitroom/toy/line?joined")
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(fields{"state": "lottery"})
}

// wishes are what was shown, each of which has to be right.
func (d *asker) wishes(want int) []fields {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.shown) != want {
		d.t.Errorf("%d wishes for a ticket, want %d", len(d.shown), want)
	}
	for _, s := range d.shown {
		text, _ := s["challenge"].(string)
		solution, _ := s["solution"].(string)
		if c, err := d.signer.Open("toy", text, time.Now()); err != nil || d.bits > 0 && !challenge.Solved(text, c.Bits, solution) {
			d.t.Errorf("%v is not what was asked: %v", s, err)
		}
	}
	return d.shown
}

func (d *asker) page() string { return d.URL + "/.waitroom/toy/line" }

const ended = "The sale is over"

// TestProveInBrowser: whoever opens the page that asks is through it, and the page answers
// meanwhile.
func TestProveInBrowser(t *testing.T) {
	t.Parallel()
	d := openAsker(t, &asker{bits: challenge.LeastBits})
	w := open(t, d.page())
	w.Shows(heading, ended)
	w.Shows("location.pathname + location.search", "/.waitroom/toy/line?joined")
	d.wishes(1)
}

// watch notes, from before the page's own script on, for how long at most the page
// answered nothing. It outlives the page.
const watch = `
	let last = performance.now(), longest = 0;
	setInterval(() => {
		longest = Math.max(longest, performance.now() - last);
		last = performance.now();
		if (document.getElementById('prove')) sessionStorage.setItem('longest', longest);
	}, 10);`

// TestProveAnswers on a slow phone, with a worker and without, while it works as hard
// as is ever asked. A page that keeps its reader waiting does so each time, and a machine
// that is busy does not: one of a few times is in time.
func TestProveAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, before string
		slower       float64
		most         float64 // milliseconds without an answer
	}{
		{"worker", "", 1, 1000},
		{"worker, slow", "", 4, 1000},
		{"no worker", "delete window.Worker;", 1, 1000},
		{"no worker, slow", "delete window.Worker;", 4, 3000},
	} {
		t.Run(test.name, func(t *testing.T) {
			longest := math.Inf(1)
			for try := 0; try < 5 && longest > test.most; try++ {
				longest = min(longest, silence(t, test.before, test.slower))
			}
			if longest > test.most {
				t.Errorf("the page answered nothing for %.0f ms each time", longest)
			}
		})
	}
}

// silence is for how many milliseconds at most a page answered nothing while it proved, on
// a phone that is so much slower.
func silence(t *testing.T, before string, slower float64) float64 {
	t.Helper()
	d := openAsker(t, &asker{bits: challenge.MostBits})
	w := open(t, d.URL+"/blank")
	w.lacks(before + watch)
	w.Do(
		chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: slower})
			return err
		}),
		chromedp.Navigate(d.page()),
	)
	w.Shows(heading, ended)
	d.wishes(1)
	longest, err := strconv.ParseFloat(w.Says("sessionStorage.getItem('longest')"), 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.2f s from the challenge to the wish, %.0f ms at most without an answer", d.came.Sub(d.issued).Seconds(), longest)
	return longest
}

// TestProveTriesAgain with another challenge where the first one is used or too old,
// and with the same where there are too many at once.
func TestProveTriesAgain(t *testing.T) {
	t.Parallel()
	d := openAsker(t, &asker{bits: challenge.LeastBits, refuse: []int{http.StatusConflict, http.StatusTooManyRequests}})
	w := chrome.Open(t, d.page(), "status of 409", "status of 429")
	w.Shows(heading, ended)
	shown := d.wishes(3)
	if len(shown) == 3 && (shown[0]["challenge"] == shown[1]["challenge"] || shown[1]["challenge"] != shown[2]["challenge"]) {
		t.Errorf("showed %v, want another challenge after 409 and the same after 429", shown)
	}
}

// TestProveWaits as long as is asked, and brings what the check gives.
func TestProveWaits(t *testing.T) {
	t.Parallel()
	d := openAsker(t, &asker{after: 1500 * time.Millisecond, check: true})
	w := open(t, d.page())
	w.Shows(heading, ended)
	shown := d.wishes(1)
	if len(shown) == 1 && shown[0]["check"] != "a token" {
		t.Errorf("showed %v, want the token of the check", shown[0])
	}
	if took := d.came.Sub(d.issued); took < d.after {
		t.Errorf("asked after %v, want %v", took, d.after)
	}
}

// TestProveWithoutScript has a button, and says what it costs to press it.
func TestProveWithoutScript(t *testing.T) {
	t.Parallel()
	d := openAsker(t, &asker{bits: challenge.LeastBits})
	w := open(t, d.URL+"/blank")
	w.WithoutScript()
	w.Do(chromedp.Navigate(d.page()), chromedp.Click("#prove button"))
	until(t, "the form", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return len(d.shown) == 1 && d.shown[0]["form"] == true
	})
}

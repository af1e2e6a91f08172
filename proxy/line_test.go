package proxy_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/static"
)

// TestTicket: one ticket a shopper, whatever asks for it.
func TestTicket(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	b := s.browser()
	first := b.join().code(t, "first", http.StatusCreated).head(t, "first", "Cache-Control", "no-store")
	if first.field("number") != "0" || first.field("state") == "" || first.field("poll_after_ms") == "" {
		t.Errorf("first: got %s, want number 0, a state and poll_after_ms", first.body)
	}
	again := b.join().code(t, "again", http.StatusOK).noCookie(t, "again")
	if again.field("number") != "0" {
		t.Errorf("again: got %s, want number 0", again.body)
	}
	if got := s.browser().join().field("number"); got != "1" {
		t.Errorf("somebody else has number %s, want 1", got)
	}
	form := s.person()
	form.join().code(t, "form", http.StatusSeeOther).head(t, "form", "Location", "/.waitroom/golden-toy/line")
	form.join().code(t, "form again", http.StatusSeeOther).noCookie(t, "form again")
}

// TestNeverATicket: what nobody asked for on purpose opens no ticket.
func TestNeverATicket(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	line := "/.waitroom/golden-toy/line"
	for _, test := range []struct {
		method, path string
		fields       []string
	}{
		{"HEAD", line, nil}, {"OPTIONS", line, nil}, {"HEAD", "/toys/golden", nil}, {"GET", "/toys/golden", nil},
		{"GET", line, []string{"Sec-Purpose", "prefetch"}}, {"GET", line, []string{"Sec-Purpose", "prefetch;prerender"}},
		{"GET", line, []string{"Purpose", "prefetch"}}, {"GET", line, []string{"X-Moz", "prefetch"}},
		{"POST", "/.waitroom/golden-toy/ticket", []string{"Sec-Purpose", "prefetch"}},
		{"GET", "/.waitroom/golden-toy/status", nil}, {"HEAD", "/.waitroom/golden-toy/status", nil},
		{"GET", "/.waitroom/golden-toy/me", nil}, {"POST", "/.waitroom/golden-toy/pass", nil},
		{"GET", "/.waitroom/golden-toy/order", nil}, {"GET", line, []string{"Accept", "application/json", "Sec-Fetch-Mode", "cors"}},
		{"OPTIONS", "/toys/golden/buy", nil}, {"HEAD", "/toys/golden/buy", nil}, {"GET", "/toys/golden/buy", nil},
		{"GET", "/favicon.ico", nil}, {"GET", "/apple-touch-icon-precomposed.png", nil}, {"GET", "/robots.txt", nil},
		{"GET", "/.well-known/assetlinks.json", nil}, {"GET", "/sw.js", nil}, {"GET", "/manifest.webmanifest", nil}, {"GET", "/", nil},
	} {
		b := s.person()
		r := b.do(test.method, test.path, "", test.fields...).noCookie(t, test.method+" "+test.path)
		if r.StatusCode >= 300 && r.StatusCode < 400 {
			t.Errorf("%s %s: got %d, want no redirect", test.method, test.path, r.StatusCode)
		}
	}
	if got := s.browser().join().field("number"); got != "0" {
		t.Errorf("the first ticket has number %s, want 0", got)
	}
}

// TestMethods: our own prefix takes what it takes and says what that is.
func TestMethods(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	b := s.browser()
	for _, test := range []struct {
		method, path string
		code         int
		allow        string
	}{
		{"POST", "/.waitroom/golden-toy/status", 405, "GET, HEAD"},
		{"DELETE", "/.waitroom/golden-toy/me", 405, "GET, HEAD"},
		{"GET", "/.waitroom/golden-toy/ticket", 405, "POST"},
		{"GET", "/.waitroom/golden-toy/pass", 405, "POST"},
		{"GET", "/.waitroom/golden-toy/nothing", 404, ""},
		{"GET", "/.waitroom/golden-toy", 404, ""},
		{"GET", "/.waitroom/silver-toy/status", 404, ""},
		{"GET", "/.waitroom/", 404, ""},
		{"GET", "/.waitroom", 404, ""},
		{"GET", "//.waitroom//golden-toy/./status", 200, ""},
		{"TRACE", "/", 405, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"},
	} {
		b.do(test.method, test.path, "").code(t, test.method+" "+test.path, test.code).
			head(t, test.method+" "+test.path, "Allow", test.allow)
	}
	if n := s.shop.asked("/.waitroom/golden-toy/nothing"); n != 0 {
		t.Errorf("the origin saw our own prefix %d times", n)
	}
}

// TestStatus: the shared document is the same bytes for everybody.
func TestStatus(t *testing.T) {
	t.Parallel()
	s := play(t, plot{doors: -time.Minute, opens: time.Hour})
	one, two := s.browser(), s.person()
	one.join()
	var a, b reply
	s.until("two answers within a second", func() bool {
		a, b = one.own(http.MethodGet, "status"), two.own(http.MethodGet, "status")
		return a.field("now") == b.field("now")
	})
	if a.body != b.body || a.Header.Get("Etag") != b.Header.Get("Etag") {
		t.Errorf("two shoppers get %s %s and %s %s", a.Header.Get("Etag"), a.body, b.Header.Get("Etag"), b.body)
	}
	a.code(t, "status", http.StatusOK).head(t, "status", "Cache-Control", "public, max-age=1").
		head(t, "status", "Content-Type", "application/json").noCookie(t, "status")
	if etag := a.Header.Get("Etag"); !strings.HasPrefix(etag, `"`) {
		t.Errorf("Etag is %s, want a strong one", etag)
	}
	s.until("a 304", func() bool {
		etag := one.own(http.MethodGet, "status").Header.Get("Etag")
		r := one.own(http.MethodGet, "status", "If-None-Match", `"other", W/`+etag)
		return r.StatusCode == http.StatusNotModified && r.body == "" && r.Header.Get("Etag") == etag
	})
	one.own(http.MethodGet, "status", "If-None-Match", `"other"`).code(t, "other tag", http.StatusOK)

	var doc map[string]any
	if err := json.Unmarshal([]byte(a.body), &doc); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sale", "title", "state", "now", "doors", "opens", "closes", "entered", "drawn", "commitment", "head", "rate", "stock_left", "message"} {
		if _, ok := doc[name]; !ok {
			t.Errorf("status has no %s: %s", name, a.body)
		}
	}
	if doc["state"] != "doors" || doc["drawn"] != nil || doc["seed"] != nil || doc["stock_left"] != 10.0 || doc["rate"] != 2000.0 {
		t.Errorf("status before the draw is %s", a.body)
	}
	for name, at := range map[string]time.Time{"doors": s.cfg.Sales[0].Doors, "opens": s.cfg.Sales[0].Opens, "closes": s.cfg.Sales[0].Closes} {
		if a.field(name) != strconv.FormatInt(at.UnixMilli(), 10) {
			t.Errorf("%s is %s, want %d", name, a.field(name), at.UnixMilli())
		}
	}
	head := one.own(http.MethodHead, "status").code(t, "HEAD", http.StatusOK)
	if head.body != "" || head.Header.Get("Etag") == "" || head.ContentLength != int64(len(a.body)) {
		t.Errorf("HEAD: got %d bytes announced and Etag %q, want %d and one", head.ContentLength, head.Header.Get("Etag"), len(a.body))
	}
}

// TestLinePages: each state has its page, private and without need of script.
func TestLinePages(t *testing.T) {
	t.Parallel()
	titles := pageTitles(t)
	for _, test := range []struct {
		name  string
		plot  plot
		page  static.Page
		renew bool
		act   func(*stage, *browser)
	}{
		{"scheduled", plot{doors: time.Hour, opens: 2 * time.Hour, closes: 3 * time.Hour}, static.Doors, true, nil},
		{"lottery", plot{doors: -time.Hour, opens: time.Hour, closes: 2 * time.Hour}, static.Lottery, true, joins},
		{"waiting", plot{sale: "admit: 1/min"}, static.Waiting, true, func(s *stage, b *browser) {
			for range 3 {
				s.browser().join()
			}
			joins(s, b)
		}},
		{"nearly there", plot{sale: "admit: 1/min"}, static.Near, true, joins},
		{"called", plot{}, static.Turn, true, func(_ *stage, b *browser) { b.called() }},
		{"admitted", plot{}, static.Turn, true, func(_ *stage, b *browser) { b.admitted() }},
		{"finishing", plot{}, static.Finishing, true, func(_ *stage, b *browser) { b.called().buy("qty=1") }},
		{"held", plot{}, static.Held, true, told(gate.Held)},
		{"paid", plot{}, static.Paid, true, told(gate.Paid)},
		{"expired", plot{stock: 1}, static.Expired, true, told(gate.Expired)},
		{"refused", plot{}, static.Refused, true, told(gate.Refused)},
		{"refund due", plot{}, static.RefundDue, true, told(gate.RefundDue)},
		{"all held", plot{stock: 1}, static.AllHeld, true, func(s *stage, b *browser) {
			b.called()
			s.browser().called().buy("")
			s.state("all_held")
		}},
		{"ended", plot{doors: -3 * time.Hour, opens: -2 * time.Hour, closes: -time.Hour}, static.Ended, true, nil},
		{"paused", plot{}, static.Paused, true, func(s *stage, b *browser) {
			b.called()
			s.admin(http.MethodPost, "/v1/sales/golden-toy/pause", "", token).want(s.t, "pause", http.StatusOK, "ok")
			s.state("paused")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := play(t, test.plot)
			b := s.person()
			if test.act != nil {
				test.act(s, b)
			}
			r := b.own(http.MethodGet, "line").code(t, "line", http.StatusOK).
				head(t, "line", "Cache-Control", "no-store").head(t, "line", "X-Robots-Tag", "noindex").
				head(t, "line", "Content-Security-Policy", static.ContentSecurityPolicy(static.Lottery, static.View{})).
				head(t, "line", "Content-Type", "text/html; charset=utf-8")
			if got := titleOf(r.body); got != titles[test.page] {
				t.Errorf("the page is titled %q, want %q", got, titles[test.page])
			}
			if renews := strings.Contains(r.body, `http-equiv="refresh"`); renews != test.renew {
				t.Errorf("the page renews itself: %t, want %t", renews, test.renew)
			}
			b.own(http.MethodHead, "line").code(t, "HEAD", http.StatusOK)
		})
	}
}

func joins(_ *stage, b *browser) { b.join() }

// told buys, and has the ledger tell what became of it.
func told(status gate.Status) func(*stage, *browser) {
	return func(s *stage, b *browser) {
		b.html = false
		r := b.called().buy("qty=1")
		b.html = true
		ctx := context.Background()
		note := gate.Note{Reservation: r.field("reservation"), Status: status, Version: 2, Qty: 1}
		if status == gate.Held {
			note.PayBefore = time.Now().Add(5 * time.Minute)
		}
		report(s.t, s.gate.Tell(ctx, note))
	}
}

// pageTitles are the titles by which a test knows a page.
func pageTitles(t *testing.T) map[static.Page]string {
	titles := map[static.Page]string{}
	for _, p := range static.Known() {
		body, err := static.Render(p, static.View{Title: "Golden toy"})
		if err != nil {
			t.Fatal(err)
		}
		titles[p] = titleOf(string(body))
	}
	return titles
}

// titleOf is the heading of what is shown, which is behind the pages that lie ready.
func titleOf(page string) string {
	_, rest, _ := strings.Cut(page, "<main")
	_, rest, _ = strings.Cut(rest, "<h1")
	_, rest, _ = strings.Cut(rest, ">")
	title, _, _ := strings.Cut(rest, "</h1>")
	return strings.TrimSpace(title)
}

// TestOrder: what the gate knows of a reservation is what the shopper is told.
func TestOrder(t *testing.T) {
	t.Parallel()
	for status, want := range map[gate.Status]string{
		gate.Finishing: "finishing", gate.Held: "held", gate.Paid: "paid", gate.Expired: "expired",
		gate.Cancelled: "expired", gate.Refused: "refused", gate.RefundDue: "refund_due",
	} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			s := play(t, plot{})
			b := s.browser()
			b.own(http.MethodGet, "order").code(t, "nobody's", http.StatusNotFound)
			told(status)(s, b)
			b.html = false
			r := b.own(http.MethodGet, "order").want(t, "order", http.StatusOK, want).head(t, "order", "Cache-Control", "no-store")
			if r.field("reservation") == "" || r.field("checkout") != "/checkout?reservation="+r.field("reservation") {
				t.Errorf("order is %s, want its reservation and checkout", r.body)
			}
			if has := r.field("pay_before") != ""; has != (status == gate.Held) {
				t.Errorf("order is %s; pay_before there: %t", r.body, has)
			}
			b.plant(passCookie, "")
			b.own(http.MethodGet, "order").want(t, "by ticket alone", http.StatusOK, want)
		})
	}
}

// TestAfterExpiry: whoever did not pay in time may try again.
func TestAfterExpiry(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	b := s.browser().called()
	first := b.buy("").want(t, "first", http.StatusCreated, "reserved").field("reservation")
	if got := b.own(http.MethodGet, "me").field("state"); got != "held" {
		t.Errorf("state is %s, want held", got)
	}
	ctx := context.Background()
	if _, err := s.gate.Release(ctx, "", first); err != nil {
		t.Fatal(err)
	}
	report(t, s.gate.Tell(ctx, gate.Note{Reservation: first, Status: gate.Expired, Version: 2, Qty: 1}))
	if got := b.own(http.MethodGet, "me").field("state"); got != "admitted" {
		t.Errorf("state after the expiry is %s, want admitted", got)
	}
	second := b.buy("").want(t, "second", http.StatusCreated, "reserved").field("reservation")
	if second == first {
		t.Errorf("the second reservation is the first, %s", first)
	}
}

// TestJoinByOpening: opening the line's page joins; without cookies that ends
// with a page that says so.
func TestJoinByOpening(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	b := s.person()
	r := b.own(http.MethodGet, "line").code(t, "opened", http.StatusSeeOther)
	if b.cookie(ticketCookie) == "" {
		t.Error("opening the page gave no ticket")
	}
	b.get(r.Header.Get("Location")).code(t, "with the ticket", http.StatusOK)

	bare := s.person()
	bare.Jar = nil
	address, hops := "/.waitroom/golden-toy/line", 0
	var page reply
	for {
		if page = bare.get(address); page.StatusCode != http.StatusSeeOther {
			break
		}
		if hops++; hops > 3 {
			t.Fatal("without cookies: more than 3 hops")
		}
		address = page.Header.Get("Location")
	}
	page.code(t, "without cookies", http.StatusOK)
	if want := pageTitles(t)[static.CookiesNeeded]; titleOf(page.body) != want {
		t.Errorf("without cookies the page is titled %q, want %q", titleOf(page.body), want)
	}
}

// TestOpenedAhead: what a browser loads before anybody asked for it says
// nothing about the sale that it could show later, and gives no ticket.
func TestOpenedAhead(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	b := s.person()
	b.own(http.MethodGet, "line", "Sec-Purpose", "prefetch;prerender").code(t, "ahead", http.StatusTooManyRequests).noCookie(t, "ahead")
	b.own(http.MethodGet, "line").code(t, "opened", http.StatusSeeOther)
	b.own(http.MethodGet, "line", "Sec-Purpose", "prefetch").code(t, "ahead, with a ticket", http.StatusOK)
}

// TestHopeless: who stands too far back is told at once.
func TestHopeless(t *testing.T) {
	t.Parallel()
	s := play(t, plot{stock: 1, doors: -time.Minute, opens: 2 * time.Second, sale: "admit: 1/min\nshed: {line_per_unit: 100}"})
	var crowd []*browser
	for range 250 {
		b := s.browser()
		b.join()
		crowd = append(crowd, b)
	}
	s.state("open")
	eventually(t, "the verdict", func() bool {
		return !strings.Contains(s.browser().own(http.MethodGet, "status").body, `"hopeless_ahead":null`)
	})
	states := map[string]int{}
	for _, b := range crowd {
		states[b.own(http.MethodGet, "me").field("state")]++
	}
	if states["hopeless"] < 50 || states["waiting"] < 50 || states["hopeless"]+states["waiting"] < 249 {
		t.Errorf("states are %v, want the front waiting and the back hopeless", states)
	}
}

// TestCalledBackWithoutScript: who waits and comes from the page that said that it is
// hopeless is told that there is a chance again; and that page leads there.
func TestCalledBackWithoutScript(t *testing.T) {
	t.Parallel()
	s := play(t, plot{stock: 1, doors: -time.Minute, opens: 2 * time.Second, sale: "admit: 1/min\nshed: {line_per_unit: 5}"})
	var crowd []*browser
	for range 12 {
		b := s.person()
		b.own(http.MethodGet, "line").code(t, "joins", http.StatusSeeOther)
		crowd = append(crowd, b)
	}
	s.state("open")
	eventually(t, "the verdict", func() bool {
		return !strings.Contains(s.browser().own(http.MethodGet, "status").body, `"hopeless_ahead":null`)
	})
	pages := map[string]int{}
	for _, b := range crowd {
		plain, told := b.own(http.MethodGet, "line").body, b.own(http.MethodGet, "line?told").body
		page := shownOn(told)
		pages[page]++
		if leads := strings.Contains(plain, `url=/.waitroom/golden-toy/line?told"`); leads != (page == "hopeless") {
			t.Errorf("the page %s leads back to it as to one who was told: %t", page, leads)
		}
		if page == "chance" && !standsInLine(plain) {
			t.Errorf("whoever was told nothing is called back")
		}
	}
	if pages["hopeless"] < 5 || pages["chance"] < 3 {
		t.Errorf("the pages are %v", pages)
	}
}

// shownOn is the page that a body is.
func shownOn(body string) string {
	_, after, _ := strings.Cut(body, ` data-page="`)
	name, _, _ := strings.Cut(after, `"`)
	return name
}

// TestPassesAreCountedOnce: whoever asks again, with the ticket alone, is given
// the same pass, and that is no other one.
func TestPassesAreCountedOnce(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	b := s.browser().called()
	ticket := ticketCookie + "=" + b.cookie(ticketCookie)
	b.Jar = nil
	for range 3 {
		b.own(http.MethodPost, "pass", "Cookie", ticket).code(t, "pass", http.StatusOK)
	}
	text := s.admin(http.MethodGet, "/metrics", "", "").body
	if want := `waitroom_passes_total{sale="golden-toy"} 1`; !strings.Contains(text, "\n"+want+"\n") {
		t.Errorf("metrics have no line %s", want)
	}
}

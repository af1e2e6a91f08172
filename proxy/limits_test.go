package proxy_test

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

const defaultLimits = "limits: {address: {join: 300/min, request: 200/s}, device: {buy: 5/s}, account: {buy: 2/s}}"

// TestJoinsOfOneAddress: whatever a client writes about itself, its joins count
// as those of its address. A school behind that address fits.
func TestJoinsOfOneAddress(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: defaultLimits})
	b := s.browser()
	b.Jar = nil
	codes := map[int]int{}
	begun := time.Now()
	for i := range 420 {
		ip := fmt.Sprintf("203.0.113.%d", i%250)
		r := b.do(http.MethodPost, "/.waitroom/golden-toy/ticket", "", "X-Forwarded-For", ip, "X-Real-IP", ip, "Forwarded", "for="+ip, "True-Client-IP", ip, "X_Forwarded_For", ip)
		codes[r.StatusCode]++
		if r.StatusCode == http.StatusTooManyRequests {
			after, err := strconv.Atoi(r.Header.Get("Retry-After"))
			if err != nil || after < 1 || r.field("status") != "slow_down" || r.Header.Get("Set-Cookie") != "" {
				t.Fatalf("refusal is %v %s", r.Header, r.body)
			}
		}
	}
	most := 301 + int(5*time.Since(begun).Seconds())
	if codes[201] < 300 || codes[201] > most || codes[201]+codes[429] != 420 {
		t.Errorf("got %v, want from 300 to %d joins and else 429", codes, most)
	}
}

// TestAddressesBehindATrustedProxy count each for itself, IPv6 by /64.
func TestAddressesBehindATrustedProxy(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: "trusted_proxies: [127.0.0.1]\nlimits: {address: {join: 1/min}}"})
	b := s.browser()
	b.Jar = nil
	for _, test := range []struct {
		chain string
		want  int
	}{
		{"198.51.100.1", 201}, {"198.51.100.1", 429}, {"203.0.113.9, 198.51.100.1", 429}, {"198.51.100.2", 201},
		{"198.51.100.2, 127.0.0.1", 429}, {"::ffff:198.51.100.2", 429}, {"198.51.100.2:4711", 429},
		{"2001:db8::1", 201}, {"[2001:db8::2]:443", 429}, {"2001:db8:0:0:ffff::", 429}, {"2001:db8:0:1::1", 201},
		{"garbage", 201}, {"198.51.100.9, more garbage", 429}, {"", 429},
	} {
		r := b.do(http.MethodPost, "/.waitroom/golden-toy/ticket", "", "X-Forwarded-For", test.chain)
		r.code(t, test.chain, test.want)
	}
}

// TestSchool: 300 shoppers behind one address, on the limits of a file that says
// nothing of them, load the product page and all that belongs to it, join, poll as they
// are told for longer than any burst would carry them, and press buy at the same moment:
// nobody is refused for it, and all keep their places.
func TestSchool(t *testing.T) {
	t.Parallel()
	style := "<link rel=stylesheet href=/style.css>"
	s := play(t, plot{config: "limits: {body: 1GiB}", sale: "admit: 1/min",
		page: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(style))
		},
		shop: func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Cache-Control", "public, max-age=600") },
	})
	b := s.browser()
	b.Jar = nil
	type pupil struct {
		cookie, number string
		next           time.Time
	}
	school := make([]pupil, 300)
	for i := range school {
		b.get("/toys/golden").code(t, "page", http.StatusOK)
		for range 3 { // more than two seconds' worth of requests, and of memory's
			b.get("/style.css").code(t, "style", http.StatusOK)
		}
		r := b.join().code(t, "join", http.StatusCreated)
		if t.Failed() {
			return
		}
		school[i].cookie, school[i].number = r.Cookies()[0].Name+"="+r.Cookies()[0].Value, r.field("number")
	}
	polls := 0
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end) || polls < 600; { // fewer would say nothing
		for i := range school {
			if time.Now().Before(school[i].next) {
				continue
			}
			b.own(http.MethodGet, "status").code(t, "status", http.StatusOK)
			r := b.own(http.MethodGet, "me", "Cookie", school[i].cookie)
			if r.StatusCode != http.StatusOK || r.field("number") != school[i].number {
				t.Fatalf("poll %d: got %d %s, want number %s", polls, r.StatusCode, r.body, school[i].number)
			}
			after, _ := strconv.Atoi(r.field("poll_after_ms"))
			school[i].next = time.Now().Add(min(time.Duration(after)*time.Millisecond, time.Second))
			polls++
		}
	}
	var all sync.WaitGroup
	for _, p := range school {
		all.Go(func() {
			req, _ := http.NewRequest(http.MethodPost, "https://"+host+"/toys/golden/buy", nil) // a plain address
			req.Header.Set("Cookie", p.cookie)
			if r, err := b.send(req); err != nil || r.field("status") == "slow_down" {
				t.Errorf("a press: %d %s, %v", r.StatusCode, r.body, err)
			}
		})
	}
	all.Wait()
	for _, p := range school {
		if got := b.own(http.MethodGet, "me", "Cookie", p.cookie).field("number"); got != p.number {
			t.Errorf("number %s is %q after the press", p.number, got)
		}
	}
}

// hourly allows each one thing an hour.
var hourly = configs.Rates{Join: anHour, Claim: anHour, Buy: anHour, Request: anHour}

var anHour = configs.Limit{Rate: configs.Rate{Count: 1, Per: time.Hour}}

// TestSlowDown is said alike over HTTP/1.1 and HTTP/2: as JSON to scripts, as a page
// that needs nothing else to who navigates, for a ticket, a pass, a press and anything
// else; and it says nothing of who asked.
func TestSlowDown(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	two, late := s.browser().called(), s.browser().called()
	s.reload(func(c *configs.Config) { c.Limits.Address = hourly })
	for range 2 { // uses up what there is
		two.buy("qty=-1")
		two.own(http.MethodPost, "pass")
		two.get("/cart")
	}
	one := s.browser()
	one.Transport = &http.Transport{DialContext: s.dial, TLSClientConfig: &tls.Config{RootCAs: s.ca, ServerName: host}}
	one.Jar = two.Jar
	for proto, b := range map[string]*browser{"HTTP/2.0": two, "HTTP/1.1": one} {
		for _, asks := range []struct {
			name   string
			fields []string
			page   bool
		}{
			{"fetch", []string{"Sec-Fetch-Mode", "cors", "Accept", "text/html"}, false},
			{"an old script", []string{"X-Requested-With", "XMLHttpRequest", "Accept", "text/html"}, false},
			{"curl", []string{"Accept", "*/*"}, false},
			{"JSON", []string{"Accept", "application/json"}, false},
			{"a navigation", []string{"Sec-Fetch-Mode", "navigate"}, true},
			{"an old browser", []string{"Accept", "text/html,*/*"}, true},
		} {
			for limit, r := range map[string]reply{
				"buy":     b.do(http.MethodPost, "/toys/golden/buy", "", asks.fields...),
				"claim":   b.as(late).do(http.MethodPost, "/.waitroom/golden-toy/pass", "", asks.fields...),
				"request": b.do(http.MethodGet, "/cart", "", asks.fields...),
			} {
				what := proto + ", " + asks.name + ", " + limit
				r.code(t, what, http.StatusTooManyRequests).head(t, what, "Cache-Control", "no-store")
				// The latest press counts: a form's is kept, a script's lets go of it.
				if set := setCookie(r, formCookie); limit != "buy" || set == "" {
					r.noCookie(t, what)
				} else if gone := strings.Contains(set, "Max-Age=0"); gone == asks.page || len(r.Header.Values("Set-Cookie")) > 1 {
					t.Errorf("%s: sets %q", what, r.Header.Values("Set-Cookie"))
				}
				if r.Proto != proto {
					t.Errorf("%s: came over %s", what, r.Proto)
				}
				if after, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || after < 1800 || after > 5401 {
					t.Errorf("%s: Retry-After is %q, want the best part of an hour", what, r.Header.Get("Retry-After"))
				}
				switch {
				case !asks.page:
					r.want(t, what, http.StatusTooManyRequests, "slow_down").head(t, what, "Content-Type", "application/json")
				case !strings.Contains(r.body, "One moment, please"), strings.Contains(r.body, ` src="`), strings.Contains(r.body, `rel="stylesheet"`):
					t.Errorf("%s: the page is %.300s", what, r.body)
				default:
					r.head(t, what, "Content-Type", "text/html; charset=utf-8")
				}
			}
		}
	}
	two.own(http.MethodGet, "status").code(t, "what is everybody's", http.StatusOK)
	metrics := s.admin(http.MethodGet, "/metrics", "", "").body
	for _, limit := range []string{"address_buy", "address_claim", "address_request"} {
		if !strings.Contains(metrics, `waitroom_requests_limited_total{limit="`+limit+`"}`) {
			t.Errorf("nothing is counted of %s", limit)
		}
	}
}

// as is the browser with another's cookies.
func (b *browser) as(other *browser) *browser {
	c := *b.Client
	c.Jar = other.Jar
	return &browser{Client: &c, s: b.s, html: b.html}
}

// TestAddressIsNotWhatIsWritten: whatever a client writes about itself, its presses,
// claims, arrivals and pages count as those of its address.
func TestAddressIsNotWhatIsWritten(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: narrowRoom, shop: inShop})
	fields := []string{"X-Forwarded-For", "X-Real-IP", "True-Client-IP", "X_Forwarded_For", "CF-Connecting-IP", "X-Client-IP", "X-Forwarded", "Fastly-Client-IP", "Client-IP"}
	holder, late := s.browser().called(), s.browser().called()
	s.reload(func(c *configs.Config) { c.Limits.Address = hourly })
	holder.own(http.MethodPost, "pass").code(t, "a pass", http.StatusOK) // late finds no token then
	asks := map[string]func(fields ...string) reply{
		"buy":   func(f ...string) reply { return holder.do(http.MethodPost, "/toys/golden/buy", "qty=-1", f...) },
		"claim": func(f ...string) reply { return late.do(http.MethodPost, "/.waitroom/golden-toy/pass", "", f...) },
		"line":  func(f ...string) reply { return s.person().do(http.MethodGet, "/.waitroom/golden-toy/line", "", f...) },
		"ticket": func(f ...string) reply {
			return s.browser().do(http.MethodPost, "/.waitroom/golden-toy/ticket", "", f...)
		},
		"page": func(f ...string) reply { return s.browser().do(http.MethodGet, "/cart", "", f...) },
		"room": func(f ...string) reply { return s.person().do(http.MethodGet, "/shop/", "", f...) },
	}
	for what, ask := range asks {
		last := 0
		for i := range 40 {
			ip := fmt.Sprintf("203.0.113.%d", i)
			all := []string{"Forwarded", "for=" + ip}
			for _, f := range fields {
				all = append(all, f, ip)
			}
			last = ask(all...).StatusCode
		}
		if last != http.StatusTooManyRequests {
			t.Errorf("%s: the fortieth got %d", what, last)
		}
	}
}

// TestBuysOfOneAccount are limited, with one ticket or several.
func TestBuysOfOneAccount(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: "identity: {cookie: session}\nlimits: {address: off, device: {buy: 1000/s}, account: {buy: 1/min}}"})
	codes := map[int]int{}
	for range 3 {
		b := s.browser()
		b.plant("session", "alice")
		b.called()
		codes[b.buy("qty=-1").StatusCode]++
	}
	if codes[400] != 1 || codes[429] != 2 {
		t.Errorf("got %v, want one look at a buy and two refusals", codes)
	}
}

// TestRequestsOfOneAddress: those without a ticket count by address, the
// product page never.
func TestRequestsOfOneAddress(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: "limits: {address: {request: 1/min}}"})
	b := s.browser()
	b.get("/cart").code(t, "first", http.StatusOK)
	b.get("/cart").want(t, "second", http.StatusTooManyRequests, "slow_down")
	s.person().get("/cart").code(t, "a person", http.StatusTooManyRequests).head(t, "a person", "Content-Type", "text/html; charset=utf-8")
	for range 5 {
		b.get("/toys/golden").code(t, "product page", http.StatusOK)
	}
	s.stop()
	refused := 0
	for _, line := range s.log.lines(t, "request") {
		want := any(nil)
		if line["decision"] == "slow_down" {
			want, refused = "address_request", refused+1
		}
		if line["reason"] != want {
			t.Errorf("the record of %v has the reason %v, want %v", line["decision"], line["reason"], want)
		}
	}
	if refused != 2 {
		t.Errorf("%d requests are recorded as refused, want 2", refused)
	}
}

// TestRequestsOfOneAddress_PrivatePage: a product page that is not for everybody counts
// as any other request, and what is kept of it pays nobody back what was not paid.
func TestRequestsOfOneAddress_PrivatePage(t *testing.T) {
	t.Parallel()
	for name, field := range map[string][2]string{
		"reaches the origin": {"Cache-Control", "private"},
		"is kept for some":   {"Vary", "Accept-Language"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, plot{config: "limits: {address: {request: 1/min}}", page: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Cache-Control", "public, max-age=600")
				w.Header().Set(field[0], field[1])
			}})
			b := s.browser()
			b.get("/toys/golden").code(t, "first", http.StatusOK)
			b.get("/cart").want(t, "another request", http.StatusTooManyRequests, "slow_down")
			b.get("/toys/golden").want(t, "second", http.StatusTooManyRequests, "slow_down")
			b.get("/cart").want(t, "after it", http.StatusTooManyRequests, "slow_down")
		})
	}
}

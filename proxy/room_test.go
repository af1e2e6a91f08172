package proxy_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
)

const (
	// wideRoom has room for everybody, narrowRoom for one.
	wideRoom   = "sale: shop\ntitle: The shop\nroom: /shop\nadmit: 1000/s\n"
	narrowRoom = wideRoom + "max_active: 1\n"

	roomTicket = "__Host-wr-shop"
	roomPass   = "__Host-wrp-shop"
)

// inShop is an origin with a page that names who may store it, with a cookie of
// its own, and one whose answer ends the stay.
func inShop(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=60, s-maxage=600")
	w.Header().Set("CDN-Cache-Control", "max-age=600")
	if r.URL.Path == "/shop/bye" {
		w.Header().Set("Waitroom-Command", "release")
	} else {
		http.SetCookie(w, &http.Cookie{Name: "cart", Value: "7", Path: "/shop"})
	}
	_, _ = fmt.Fprintf(w, "shop: %s", r.URL.RequestURI())
}

// room asks under our prefix about the room.
func (b *browser) room(method, part string, fields ...string) reply {
	b.s.t.Helper()
	return b.do(method, "/.waitroom/shop/"+part, "", fields...)
}

// inside is a person who has come in.
func (s *stage) inside() *browser {
	s.t.Helper()
	p := s.person()
	s.until("first look at the room", func() bool { return p.room(http.MethodGet, "status").StatusCode == http.StatusOK })
	p.comeIn("/shop")
	return p
}

// comeIn opens a page of the room until it is there.
func (b *browser) comeIn(path string) reply {
	b.s.t.Helper()
	var last reply
	b.s.until("pass of the room", func() bool {
		last = b.get(path)
		return b.cookie(roomPass) != ""
	})
	return last
}

// crowded is a room that somebody is inside of and somebody waits for.
func (s *stage) crowded() (in, waits *browser) {
	s.t.Helper()
	in, waits = s.inside(), s.person()
	waits.get("/shop").isWaiting(s.t, "arrival at a full room", http.StatusOK)
	s.until("the room is armed", func() bool { return in.room(http.MethodGet, "status").field("armed") == "true" })
	return in, waits
}

// shows waits for a line of the metrics.
func (s *stage) shows(line string) {
	s.t.Helper()
	s.until(line, func() bool { return strings.Contains(s.admin(http.MethodGet, "/metrics", "", "").body, line+"\n") })
}

// standsInLine reports whether a page is that of who waits for their turn, near or far.
func standsInLine(page string) bool {
	return strings.Contains(page, `data-page="waiting"`) || strings.Contains(page, `data-page="near"`)
}

// isWaiting checks that an answer is the waiting page, with a code.
func (r reply) isWaiting(t testing.TB, what string, code int) reply {
	t.Helper()
	r.code(t, what, code).head(t, what, "Cache-Control", "no-store").head(t, what, "X-Robots-Tag", "noindex")
	if !standsInLine(r.body) || !strings.Contains(r.body, `data-sale="shop"`) {
		t.Errorf("%s: %.300s is not the waiting page", what, r.body)
	}
	return r
}

// TestRoomLetsIn: while few come, nobody notices the room but by a cookie.
func TestRoomLetsIn(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: wideRoom, shop: inShop})
	s.inside()
	p := s.person()
	r := p.get("/shop/shoes?size=42&x=%2F").code(t, "first page", http.StatusOK).
		head(t, "first page", "Cache-Control", "private, max-age=60").head(t, "first page", "CDN-Cache-Control", "")
	if r.body != "shop: /shop/shoes?size=42&x=%2F" || p.cookie(roomPass) == "" || p.cookie(roomTicket) != "" {
		t.Errorf("first page: got %q with %q", r.body, r.Header.Values("Set-Cookie"))
	}
	if got := r.Header.Values("Set-Cookie"); len(got) != 2 || got[0] != "cart=7; Path=/shop" {
		t.Errorf("first page sets %q, want the origin's own and ours", got)
	}
	p.get("/shop/shoes").head(t, "second page", "Cache-Control", "public, max-age=60, s-maxage=600").
		head(t, "second page", "CDN-Cache-Control", "max-age=600")
	if got := s.shop.last(t).Header.Get("Cookie"); strings.Contains(got, "__Host-wr") {
		t.Errorf("the origin sees %q", got)
	}
	// Nothing but the opening of a page takes a number.
	number := func(b *browser) string { return b.room(http.MethodGet, "me", "Sec-Fetch-Mode", "cors").field("number") }
	other := s.person()
	other.get("/shopping").code(t, "beside the room", http.StatusOK)
	other.do(http.MethodPost, "/shop/cart", "a=b").code(t, "posted", http.StatusOK)
	other.get("/shop/api", "Sec-Fetch-Mode", "cors").code(t, "fetched", http.StatusOK)
	other.get("/shop/x", "Sec-Purpose", "prefetch").code(t, "loaded ahead", http.StatusOK)
	other.do(http.MethodHead, "/shop/x", "").code(t, "HEAD", http.StatusOK)
	if other.cookie(roomPass)+other.cookie(roomTicket) != "" {
		t.Error("who opened no page of the room has its cookie")
	}
	if was, is := number(p), number(s.inside()); was != "1" || is != "2" {
		t.Errorf("the second who opens a page has number %s and the third %s", was, is)
	}
}

// TestRoomMakesWait: who does not fit in waits under the address that was asked
// for, and comes in there.
func TestRoomMakesWait(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: narrowRoom, shop: inShop, redis: testserver.Redis(t)})
	first := s.inside()
	p := s.person()
	const deep = "/shop/shoes?size=42"
	r := p.get(deep).isWaiting(t, "arrival", http.StatusOK)
	if r.Header.Get("Retry-After") != "" || p.cookie(roomTicket) == "" || p.cookie(roomPass) != "" {
		t.Errorf("arrival: header %v", r.Header)
	}
	p.get(deep).isWaiting(t, "again", http.StatusOK).noCookie(t, "again")
	s.until("the room is armed", func() bool { return p.room(http.MethodGet, "status").field("armed") == "true" })
	me := p.room(http.MethodGet, "me", "Accept", "application/json", "Sec-Fetch-Mode", "cors")
	if me.field("state") != "waiting" || me.field("ahead") != "0" || me.field("place") != me.field("number") {
		t.Errorf("me is %s", me.body)
	}
	r = p.get("/shop/api", "Sec-Fetch-Mode", "cors").code(t, "fetched", http.StatusTooManyRequests)
	if r.field("state") != "waiting" || r.Header.Get("Retry-After") == "" {
		t.Errorf("fetched: %s, %v", r.body, r.Header)
	}
	p.do(http.MethodPost, "/shop/cart", "a=b").code(t, "form", http.StatusSeeOther).
		head(t, "form", "Location", "/.waitroom/shop/line")
	p.room(http.MethodGet, "line").isWaiting(t, "the line's page", http.StatusOK)
	if s.shop.asked("/shop/shoes")+s.shop.asked("/shop/cart")+s.shop.asked("/shop/api") != 0 {
		t.Error("the origin was asked by who waits")
	}

	first.get("/shop/shoes").code(t, "who is inside", http.StatusOK)
	r = first.get("/shop/bye").code(t, "the last page", http.StatusOK).head(t, "the last page", "Waitroom-Command", "").
		head(t, "the last page", "Cache-Control", "private, max-age=60")
	if first.cookie(roomPass) != "" {
		t.Errorf("after the release: %q", r.Header.Values("Set-Cookie"))
	}
	if got := p.comeIn(deep).body; got != "shop: "+deep {
		t.Errorf("came in at %q", got)
	}
	if p.cookie(roomTicket) != "" {
		t.Error("the ticket is not used up")
	}
	first.get("/shop/shoes").isWaiting(t, "who left and came back", http.StatusOK)
}

// TestRoomFormComesBack: who posted something waits at the line's page, which
// leads to the room when it is one's turn.
func TestRoomFormComesBack(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: narrowRoom, shop: inShop})
	first, second := s.crowded()
	p := s.person()
	p.do(http.MethodPost, "/shop/cart", "a=b").code(t, "form", http.StatusSeeOther)
	p.room(http.MethodGet, "line").code(t, "the line's page", http.StatusSeeOther).head(t, "the line's page", "Location", "/shop")
	p.get("/shop").isWaiting(t, "the room", http.StatusOK)
	p.room(http.MethodGet, "line").isWaiting(t, "the line's page again", http.StatusOK)
	first.get("/shop/bye")
	second.comeIn("/shop")
	second.get("/shop/bye")
	s.until("the line's page leads back", func() bool {
		r := p.room(http.MethodGet, "line")
		return r.StatusCode == http.StatusSeeOther && r.Header.Get("Location") == "/shop"
	})
	p.comeIn("/shop")
}

// TestRoomQueuesNot: what no line is for passes, without a cookie, while others
// wait; what is loaded ahead waits for its page to be opened.
func TestRoomQueuesNot(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: strings.Replace(narrowRoom, "/shop", "/", 1), shop: inShop})
	s.crowded()
	p := s.person()
	pass := func(method, path string, fields ...string) {
		t.Helper()
		p.do(method, path, "", fields...).code(t, method+" "+path, http.StatusOK)
	}
	pass(http.MethodHead, "/shop/x")
	pass(http.MethodOptions, "/shop/x", "Origin", "https://else.example", "Access-Control-Request-Method", "POST")
	for _, path := range []string{"/robots.txt", "/favicon.ico", "/favicon.svg", "/apple-touch-icon-120x120.png", "/.well-known/security.txt", "/toys/golden"} {
		pass(http.MethodGet, path)
	}
	pass(http.MethodGet, "/toys/golden/buy") // the sale's, though it buys nothing
	p.own(http.MethodGet, "status").code(t, "status of the sale", http.StatusOK)
	p.buy("").code(t, "buy", http.StatusSeeOther).head(t, "buy", "Location", "/.waitroom/golden-toy/line")
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Moz"} {
		p.get("/shop/x", name, "prefetch").code(t, name, http.StatusTooManyRequests).noCookie(t, name)
	}
	if p.cookie(roomTicket)+p.cookie(roomPass) != "" {
		t.Error("somebody who opened no page is in line")
	}
	// Nor does what only looks like it.
	for _, path := range []string{"/x/..%2frobots.txt", "/robots.txt%00/x", "/favicon.ico;/../shop/x", "/.well-known/../shop/x", "//robots.txt"} {
		p.get(path).isWaiting(t, path, http.StatusOK)
	}
}

// TestRoomStatusCodes: the waiting page has the code that the file says.
func TestRoomStatusCodes(t *testing.T) {
	t.Parallel()
	for _, code := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		s := play(t, plot{room: narrowRoom + fmt.Sprintf("waiting_status: %d\n", code), shop: inShop})
		s.inside()
		r := s.person().get("/shop").isWaiting(t, "arrival", code)
		if r.Header.Get("Retry-After") == "" {
			t.Errorf("%d without Retry-After", code)
		}
	}
}

// TestRoomNeedsCookies: who keeps none is told so at the second question, does not
// go in a circle and takes no more numbers; who keeps them is led back unnoticed.
func TestRoomNeedsCookies(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: narrowRoom, shop: inShop})
	s.inside()
	const deep = "/shop/shoes?size=42&q=a+b"
	next := "/.waitroom/shop/line?joined=" + url.QueryEscape(deep)
	entered := func() string { return s.browser().room(http.MethodGet, "status").field("entered") }

	keeps := s.person()
	if r := keeps.get(deep); !strings.Contains(r.body, `url=`+next+`"`) || !strings.Contains(r.body, `data-again="`+next+`"`) {
		t.Errorf("the first page does not go on at %s: %.1500s", next, r.body)
	}
	keeps.get(next).code(t, "led back", http.StatusSeeOther).head(t, "led back", "Location", deep)
	if r := keeps.get(deep).isWaiting(t, "back", http.StatusOK); strings.Contains(r.body, "joined=") {
		t.Error("the second page asks for cookies again")
	}

	keepsNot := s.person()
	keepsNot.Jar = nil
	keepsNot.get(deep).isWaiting(t, "without cookies", http.StatusOK)
	var before string
	s.until("the number is counted", func() bool { before = entered(); return before == "3" })
	r := keepsNot.get(next).code(t, "without cookies", http.StatusOK).noCookie(t, "without cookies")
	if !strings.Contains(r.body, `data-page="cookies_needed"`) || strings.Contains(r.body, "http-equiv") ||
		!strings.Contains(r.body, `href="/shop/shoes?size=42&amp;q=a&#43;b"`) && !strings.Contains(r.body, `href="/shop/shoes?size=42&amp;q=a+b"`) {
		t.Errorf("without cookies: %.2000s", r.body)
	}
	// The way back leads nowhere else.
	for _, target := range []string{"https://else.example/", "//else.example/", `/\else.example`, "/%0d%0ax", "%zz", ""} {
		keeps.get("/.waitroom/shop/line?joined="+strings.ReplaceAll(target, `\`, "%5C")).
			head(t, target, "Location", "/shop")
	}
	if now := entered(); now != before {
		t.Errorf("%s have entered, want %s", now, before)
	}
}

// TestRoomSlides: a pass that is used lives on, and is signed anew now and then; a
// fixed one is not.
func TestRoomSlides(t *testing.T) {
	t.Parallel()
	for _, sliding := range []bool{true, false} {
		s := play(t, plot{room: wideRoom, shop: inShop})
		s.reload(func(c *configs.Config) { c.Rooms[0].PassLife, c.Rooms[0].Sliding = 6*time.Second, sliding })
		p := s.inside()
		p.get("/shop/x").code(t, "at once", http.StatusOK)
		number := p.room(http.MethodGet, "me", "Sec-Fetch-Mode", "cors").field("number")
		first := p.cookie(roomPass)
		begun := time.Now()
		var another string
		s.until("another pass", func() bool {
			p.get("/shop/x")
			another = p.cookie(roomPass)
			return another != "" && another != first
		})
		is := p.room(http.MethodGet, "me", "Sec-Fetch-Mode", "cors").field("number")
		after := time.Since(begun)
		if sliding && (is != number || after < time.Second || after > 5800*time.Millisecond) {
			t.Errorf("sliding: number %s after %v, want %s after a quarter of 6s", is, after, number)
		}
		if !sliding && (is == number || after < 5*time.Second) {
			t.Errorf("fixed: number %s after %v, want another than %s after 6s", is, after, number)
		}
	}
}

// TestRoomOverTwoEdges: they are one room.
func TestRoomOverTwoEdges(t *testing.T) {
	t.Parallel()
	redis := testserver.Redis(t)
	one := play(t, plot{room: narrowRoom, shop: inShop, redis: redis})
	two := play(t, plot{room: narrowRoom, shop: inShop, redis: redis, stock: -1})
	first := one.inside()
	at := two.person()
	two.until("the other edge knows", func() bool { return at.room(http.MethodGet, "status").field("armed") != "" })
	at.get("/shop").isWaiting(t, "at the other edge", http.StatusOK)
	carry := func(from, to *browser) *browser {
		for _, name := range []string{roomTicket, roomPass} {
			if v := from.cookie(name); v != "" {
				to.plant(name, v)
			}
		}
		return to
	}
	carry(first, two.person()).get("/shop/x").code(t, "the pass at the other edge", http.StatusOK)
	carry(at, one.person()).get("/shop").isWaiting(t, "the ticket at the other edge", http.StatusOK).noCookie(t, "the ticket at the other edge")
	one.until("the same bytes at both", func() bool {
		a, b := one.browser().room(http.MethodGet, "status"), two.browser().room(http.MethodGet, "status")
		return a.body == b.body && a.Header.Get("Etag") == b.Header.Get("Etag") && a.field("armed") == "true" && a.field("active") == "1"
	})
	carry(first, two.person()).get("/shop/bye").code(t, "release at the other edge", http.StatusOK)
	carry(at, one.person()).comeIn("/shop/x")
}

// TestRoomStatus: what a room does not have is not there.
func TestRoomStatus(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: narrowRoom, shop: inShop})
	s.inside()
	b := s.browser()
	r := b.room(http.MethodGet, "status").code(t, "status", http.StatusOK).head(t, "status", "Cache-Control", "public, max-age=1")
	for _, name := range []string{"stock_left", "commitment", "seed", "drawn", "doors", "opens", "closes"} {
		if strings.Contains(r.body, `"`+name+`"`) {
			t.Errorf("the status has %s: %s", name, r.body)
		}
	}
	if r.field("sale") != "shop" || r.field("title") != "The shop" || r.field("state") != "open" || r.field("rate") != "1000" {
		t.Errorf("the status is %s", r.body)
	}
	b.room(http.MethodGet, "status", "If-None-Match", r.Header.Get("Etag")).noCookie(t, "again")
	for _, part := range []string{"order", "invite", "", "x"} {
		b.room(http.MethodGet, part).code(t, part, http.StatusNotFound)
	}
	b.room(http.MethodDelete, "ticket").code(t, "method", http.StatusMethodNotAllowed)
}

// TestRoomFlow: while all seats are taken the line hardly moves, whatever the rate
// is, and everybody can work out from the status what `me` says.
func TestRoomFlow(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: narrowRoom, shop: inShop})
	in := s.inside()
	flow := func() float64 {
		f, err := strconv.ParseFloat(in.room(http.MethodGet, "status").field("flow"), 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if got := flow(); got != 1000 {
		t.Errorf("before there was a line %v flow, want the rate, 1000", got)
	}
	s.person().get("/shop").isWaiting(t, "arrival", http.StatusOK)
	s.until("less flows than the rate", func() bool { f := flow(); return f > 0 && f < 980 })
}

// TestRoomSaysWhenToComeBack: a called shopper whom no seat awaits any more is told
// to come back very soon, by the page and otherwise.
func TestRoomSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: narrowRoom, shop: inShop})
	_, p := s.crowded()
	seats := func(n int) {
		s.reload(func(c *configs.Config) {
			c.Rooms[0].MaxActive, c.Rooms[0].WaitingStatus = n, http.StatusServiceUnavailable
		})
	}
	seats(2)
	s.until("who waits is called", func() bool { return p.room(http.MethodGet, "me", "Sec-Fetch-Mode", "cors").field("state") == "called" })
	seats(1)
	soon := func(what, seconds string) {
		t.Helper()
		if seconds != "1" && seconds != "2" {
			t.Errorf("%s: come back after %q seconds, want 1 or 2", what, seconds)
		}
	}
	r := p.get("/shop").isWaiting(t, "claim", http.StatusServiceUnavailable)
	soon("page", attribute(r.body, "data-refresh"))
	soon("page", r.Header.Get("Retry-After"))
	r = p.room(http.MethodPost, "pass", "Sec-Fetch-Mode", "cors").code(t, "pass", http.StatusTooManyRequests)
	soon("pass", r.Header.Get("Retry-After"))
	if ms, err := strconv.Atoi(r.field("poll_after_ms")); err != nil || ms < 1000 || ms > 2000 {
		t.Errorf("pass: come back after %d ms, want 1000 to 2000", ms)
	}
	p.do(http.MethodPost, "/.waitroom/shop/pass", "").code(t, "form", http.StatusSeeOther).
		head(t, "form", "Location", "/.waitroom/shop/line")
}

// attribute is the value of an attribute that stands once on a page.
func attribute(page, name string) string {
	_, rest, _ := strings.Cut(page, name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// TestRoomForApps: ticket and pass can be had without opening a page.
func TestRoomForApps(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: narrowRoom, shop: inShop})
	first := s.inside()
	b := s.browser()
	b.room(http.MethodPost, "pass").code(t, "pass without a ticket", http.StatusTooManyRequests).noCookie(t, "pass without a ticket")
	b.room(http.MethodPost, "ticket", "Purpose", "preview").code(t, "ahead", http.StatusTooManyRequests).noCookie(t, "ahead")
	if r := b.room(http.MethodPost, "ticket").code(t, "ticket", http.StatusCreated); r.field("state") != "waiting" {
		t.Errorf("ticket: %s", r.body)
	}
	b.room(http.MethodPost, "ticket").code(t, "ticket again", http.StatusOK).noCookie(t, "ticket again")
	if r := b.room(http.MethodPost, "pass").code(t, "pass too early", http.StatusTooManyRequests); r.Header.Get("Retry-After") == "" || r.field("state") != "waiting" {
		t.Errorf("pass too early: %s", r.body)
	}
	first.get("/shop/bye")
	s.until("pass", func() bool { return b.room(http.MethodPost, "pass").StatusCode == http.StatusOK })
	if b.cookie(roomPass) == "" || b.cookie(roomTicket) != "" {
		t.Error("the pass does not take the ticket's place")
	}
	b.room(http.MethodPost, "pass").code(t, "pass again", http.StatusOK).noCookie(t, "pass again")
	s.shows(`waitroom_requests_total{decision="no_ticket",status="429"} 1`)
	s.shows(`waitroom_requests_total{decision="admitted",status="200"} 1`)
	s.shows(`waitroom_requests_total{decision="pass_again",status="200"} 1`)
	b.get("/shop/api").code(t, "inside", http.StatusOK)
}

// TestRoomSteered: operators pause it, say something and change its rate.
func TestRoomSteered(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: wideRoom, shop: inShop})
	first := s.inside()
	act := func(method, what, body string) {
		t.Helper()
		s.admin(method, "/v1/sales/shop/"+what, body, token).want(t, what, http.StatusOK, "ok")
	}
	is := func(name, want string) {
		t.Helper()
		s.until(name+" "+want, func() bool { return first.room(http.MethodGet, "status").field(name) == want })
	}
	act(http.MethodPost, "pause", "")
	act(http.MethodPut, "message", `{"message":"Back in five minutes"}`)
	is("state", "paused")
	is("message", "Back in five minutes")
	first.get("/shop/x").code(t, "inside while paused", http.StatusOK)
	p := s.person()
	r := p.get("/shop/x").code(t, "arrival while paused", http.StatusOK)
	if !strings.Contains(r.body, `data-page="paused"`) || !strings.Contains(r.body, "Back in five minutes") || p.cookie(roomTicket) == "" {
		t.Errorf("arrival while paused: %.300s", r.body)
	}
	// Whether cookies are kept is seen soon; then there is nothing to hurry for.
	if got := attribute(r.body, "data-refresh"); got != "3" {
		t.Errorf("the first page renews itself after %q seconds, want within 3", got)
	}
	if got := attribute(p.get("/shop/x").body, "data-refresh"); len(got) != 1 || got < "5" {
		t.Errorf("the second page renews itself after %q seconds, want 5 to 8", got)
	}
	p.get("/shop/x", "Sec-Fetch-Mode", "cors").code(t, "fetched while paused", http.StatusTooManyRequests)
	p.room(http.MethodPost, "pass", "Sec-Fetch-Mode", "cors").code(t, "claimed while paused", http.StatusTooManyRequests)
	act(http.MethodPost, "resume", "")
	p.comeIn("/shop/x")
	act(http.MethodPut, "rate", `{"admit":"30/min"}`)
	is("rate", "0.5")
	s.admin(http.MethodPut, "/v1/sales/shop/mix", `{"value":"x"}`, token).code(t, "mix", http.StatusBadRequest)
	if n := len(s.log.lines(t, "audit")); n != 5 {
		t.Errorf("%d audit lines, want 5", n)
	}
}

// TestRoomReload: rooms come, change and go; who waits keeps the place.
func TestRoomReload(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: narrowRoom, shop: inShop})
	first, p := s.inside(), s.person()
	p.get("/shop").isWaiting(t, "before", http.StatusOK)
	s.reload(func(c *configs.Config) { c.Rooms[0].Title, c.Rooms[0].Path = "The hall", "/hall" })
	if r := p.get("/hall").isWaiting(t, "changed", http.StatusOK).noCookie(t, "changed"); !strings.Contains(r.body, "The hall") {
		t.Error("changed: the title is not")
	}
	first.get("/hall").code(t, "inside", http.StatusOK)
	s.reload(func(c *configs.Config) { c.Rooms = nil })
	p.get("/shop").code(t, "without the room", http.StatusOK)
	if got := s.admin(http.MethodGet, "/metrics", "", "").body; strings.Contains(got, "waitroom_room_armed{") {
		t.Error("the metrics still say that the room is armed")
	}
	p.room(http.MethodGet, "status").code(t, "without the room", http.StatusNotFound)
	s.reload(func(*configs.Config) {})
	s.until("the room is seen again", func() bool { return p.room(http.MethodGet, "status").StatusCode == http.StatusOK })
	p.get("/shop").isWaiting(t, "it is back", http.StatusOK).noCookie(t, "it is back")
	s.reload(func(c *configs.Config) { c.Rooms[0].MaxActive = 2 })
	p.comeIn("/shop")
}

// TestRoomsInsideEachOther: the innermost counts.
func TestRoomsInsideEachOther(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: strings.Replace(wideRoom, "/shop", "/", 1), shop: inShop})
	s.write("cellar.yaml", "sale: cellar\ntitle: The cellar\nroom: /Shop/Cellar/\nadmit: 1/min\n")
	s.write("waitroom.yaml", lines(`tls: {mode: internal, domains: [`+host+`]}
origin: {url: "`+s.shop.URL+`"}
secret: "`+secretOne+`"`, `sales: ["sale.yaml", "room.yaml", "cellar.yaml"]`))
	s.reload(func(*configs.Config) {})
	p := s.inside()
	s.until("the cellar is seen", func() bool { return p.get("/.waitroom/cellar/status").StatusCode == http.StatusOK })
	for _, path := range []string{"/shop/cellar", "/shop/cellar/wine", "/SHOP//cellar/./x", "/shop/x/../cellar/", "/shop%2fcellar"} {
		if r := p.get(path); !strings.Contains(r.body, `data-sale="cellar"`) {
			t.Errorf("%s: %.200s, want the cellar's line", path, r.body)
		}
	}
	p.get("/shop/cellars").code(t, "beside the cellar", http.StatusOK)
}

// TestRoomWithoutRedis: who is inside stays there. Where there was no line this
// edge lets others in by itself, no faster than the room does; where there was
// one it stands.
func TestRoomWithoutRedis(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, room string
		armed      bool
	}{{"no line", wideRoom + "burst: 3\n", false}, {"a line", narrowRoom, true}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			mini := testserver.Mini(t)
			s := play(t, plot{room: test.room, shop: inShop, redis: testserver.MiniURL(mini)})
			var first, p *browser
			if test.armed {
				first, p = s.crowded()
			} else {
				first = s.inside()
				s.reload(func(c *configs.Config) {
					c.Rooms[0].Burst, c.Rooms[0].Admit = 3, configs.Rate{Count: 1, Per: time.Hour}
				})
				s.until("the new rate", func() bool { return first.room(http.MethodGet, "status").field("rate") != "1000" })
			}
			mini.Close()
			first.get("/shop/x").code(t, "inside", http.StatusOK)
			if test.armed {
				s.until("the line stands", func() bool { return strings.Contains(p.get("/shop").body, `data-page="paused"`) })
				p.get("/shop/x", "Sec-Fetch-Mode", "cors").code(t, "fetched", http.StatusTooManyRequests)
				return
			}
			let := 0
			for range 6 {
				p = s.person()
				r := p.get("/shop")
				if p.cookie(roomPass)+p.cookie(roomTicket) != "" {
					t.Errorf("without Redis: %q", r.Header.Values("Set-Cookie"))
				}
				if strings.HasPrefix(r.body, "shop: ") {
					let++
				} else {
					r.isWaiting(t, "above the rate", http.StatusOK)
				}
			}
			if let != 3 {
				t.Errorf("%d of 6 were let in, want 3", let)
			}
			s.person().get("/shop/x", "Sec-Fetch-Mode", "cors").code(t, "fetched", http.StatusOK)
		})
	}
}

// TestRoomWhoseOriginIsAway: who came in has come in.
func TestRoomWhoseOriginIsAway(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: wideRoom, shop: inShop})
	s.inside()
	s.shop.Close()
	p := s.person()
	p.get("/shop").code(t, "no origin", http.StatusBadGateway).head(t, "no origin", "Cache-Control", "no-store")
	if p.cookie(roomPass) == "" {
		t.Error("the pass is lost with the origin's answer")
	}
}

// TestRoomIsWatched: metrics and the log say when there is a line.
func TestRoomIsWatched(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: narrowRoom, shop: inShop})
	first, p := s.inside(), s.person()
	p.get("/shop").isWaiting(t, "arrival", http.StatusOK)
	s.shows(`waitroom_room_armed{sale="shop"} 1`)
	s.shows(`waitroom_room_active{sale="shop"} 1`)
	s.shows(`waitroom_room_waiting{sale="shop"} 1`)
	lines := s.log.lines(t, "room armed")
	if len(lines) != 1 || lines[0]["sale"] != "shop" {
		t.Errorf("the log says %v, want once that the room is armed", lines)
	}
	first.get("/shop/bye")
	p.comeIn("/shop")
	s.shows(`waitroom_room_waiting{sale="shop"} 0`)
}

// TestRoomGuardsItself: one address takes no more numbers than it may, and its
// claims are counted, too.
func TestRoomGuardsItself(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: wideRoom, shop: inShop,
		config: "limits: {address: {join: 2/min, request: off}, device: off, account: off}"})
	s.inside()
	s.person().get("/shop").code(t, "second", http.StatusOK)
	s.person().get("/shop").code(t, "third", http.StatusTooManyRequests)
}

package proxy_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// day is when the pages of these tests were last changed.
var day = time.Date(2026, time.November, 27, 0, 0, 0, 0, time.UTC)

// TestRoomLetsWinnersPass: who holds a reservation is on the way to the checkout,
// past every room, whatever is asked for; nobody else is.
func TestRoomLetsWinnersPass(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: strings.Replace(narrowRoom, "/shop", "/", 1), shop: inShop})
	s.crowded()
	winner, called := s.person(), s.person()
	winner.admitted()
	called.admitted()
	winner.get("/checkout").isWaiting(t, "before the buy", http.StatusOK)
	reservation := winner.buy("", "Sec-Fetch-Mode", "cors").want(t, "buy", http.StatusCreated, "reserved").field("reservation")
	for _, r := range []reply{
		winner.get("/checkout?reservation=" + reservation),
		winner.do(http.MethodPost, "/checkout/pay", "card=1"),
		winner.get("/static/toy.css", "Sec-Fetch-Mode", "no-cors"),
	} {
		r.code(t, "winner at "+r.Request.URL.Path, http.StatusOK)
		if r.Request.URL.Path != "/checkout" {
			continue
		}
		if got := s.shop.last(t).Header.Get("Waitroom-Reservation"); got != reservation {
			t.Errorf("the origin is told of reservation %q, want %q", got, reservation)
		}
	}
	if winner.cookie(roomPass) != "" {
		t.Error("the winner took a place inside")
	}
	called.get("/checkout?reservation="+reservation).isWaiting(t, "with a pass that got nothing", http.StatusOK)
	called.get("/static/toy.css", "Sec-Fetch-Mode", "no-cors").code(t, "with a pass that got nothing", http.StatusTooManyRequests)
}

// TestRoomExcepts: what is excepted does not queue, takes no number and sets no
// cookie.
func TestRoomExcepts(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: narrowRoom + "except: [/shop/static, /shop/assets/]\n", shop: inShop})
	s.crowded()
	p := s.person()
	for _, path := range []string{"/shop/static/toy.css", "/Shop/assets", "/shop/assets/a%20b.js"} {
		p.get(path).code(t, path, http.StatusOK).head(t, path, "Cache-Control", "public, max-age=60, s-maxage=600")
		p.get(path, "Sec-Fetch-Mode", "no-cors").code(t, path, http.StatusOK)
	}
	p.do(http.MethodPost, "/shop/static/x", "a=b").code(t, "posted", http.StatusOK)
	if p.cookie(roomTicket)+p.cookie(roomPass) != "" {
		t.Error("who loaded what is excepted is in line")
	}
	for _, path := range []string{"/shop/statics", "/shop/x/../static/toy.css", "/shop/static/..%2fx"} {
		p.get(path, "Sec-Fetch-Mode", "no-cors").code(t, path, http.StatusTooManyRequests)
	}
}

// TestRoomPassGoesToOne: an answer with a pass is whole, so that no cache on the
// way keeps the pass beside what it has stored.
func TestRoomPassGoesToOne(t *testing.T) {
	t.Parallel()
	shop := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"one"`)
		w.Header().Set("Edge-Control", "cache-maxage=10m")
		w.Header().Set("X-Accel-Expires", "600")
		http.ServeContent(w, r, "x.html", day, strings.NewReader("the page"))
	}
	s := play(t, plot{room: wideRoom, shop: shop})
	s.inside()
	conditions := []string{"If-None-Match", `"one"`, "If-Modified-Since", day.Format(http.TimeFormat), "If-Range", `"one"`, "Range", "bytes=0-2"}
	p := s.person()
	r := p.get("/shop", conditions...).code(t, "first page", http.StatusOK)
	if r.body != "the page" || p.cookie(roomPass) == "" {
		t.Errorf("first page: %q with %q", r.body, r.Header.Values("Set-Cookie"))
	}
	r.head(t, "first page", "Edge-Control", "").head(t, "first page", "X-Accel-Expires", "")
	p.get("/shop", conditions[:4]...).code(t, "second page", http.StatusNotModified).noCookie(t, "second page")
	p.get("/shop", conditions[4:]...).code(t, "a part", http.StatusPartialContent).head(t, "a part", "X-Accel-Expires", "600")
}

// TestRoomTakesNoOtherMethod: what shows nothing must not be made to.
func TestRoomTakesNoOtherMethod(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: narrowRoom, shop: inShop})
	in, _ := s.crowded()
	fields := []string{"X-HTTP-Method-Override", "GET", "X_HTTP_Method", "GET", "X-Method-Override", "GET"}
	overrides := func() (found int) {
		for name := range s.shop.last(t).Header {
			if strings.Contains(strings.ToLower(name), "method") {
				found++
			}
		}
		return found
	}
	p := s.person()
	for _, method := range []string{http.MethodHead, http.MethodOptions} {
		p.do(method, "/shop/x", "", fields...).code(t, method, http.StatusOK)
		if n := overrides(); n != 0 {
			t.Errorf("%s: the origin sees %d fields that make another method of it", method, n)
		}
		p.do(method, "/shop/x?_method=GET", "").code(t, method+" with a parameter", http.StatusTooManyRequests)
	}
	in.do(http.MethodPost, "/shop/x", "a=b", fields...).code(t, "who is inside", http.StatusOK)
	if n := overrides(); n != len(fields)/2 {
		t.Errorf("who is inside: the origin sees %d fields, want %d", n, len(fields)/2)
	}
}

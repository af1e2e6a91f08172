package proxy_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

const blog, evil, foreign = "https://blog.example.com", "https://evil.example", "https://other.example.net"

// TestPostedElsewhere: what a page posts that may not speak for its shopper keeps
// nothing, and gives no ticket in the place of one that the browser has not sent. It
// makes no difference whether that page may read what its own requests are told.
func TestPostedElsewhere(t *testing.T) {
	t.Parallel()
	s := play(t, plot{
		doors: -time.Minute, opens: time.Hour, closes: 2 * time.Hour,
		config: "tls: {mode: internal, domains: [" + host + ", www.shop.example.com, other.example.net]}\ncors: {origins: [\"https://app.example.com\"]}",
	})
	for name, test := range map[string]struct {
		site, origin string
		known        bool // sends its ticket
		takes        bool
	}{
		"this host":                             {"same-origin", "https://" + host, false, true},
		"this host, without a referrer":         {"same-origin", "null", false, true},
		"the shopper":                           {"none", "", false, true},
		"a domain of the same site":             {"same-site", "https://www.shop.example.com", false, true},
		"a page of the same site":               {"same-site", blog, false, false},
		"a page of the same site, in line":      {"same-site", blog, true, false},
		"a listed origin of the same site":      {"same-site", "https://app.example.com", true, true},
		"the same site, without a referrer":     {"same-site", "null", true, false},
		"another site":                          {"cross-site", evil, false, false},
		"a domain of another site":              {"cross-site", foreign, false, false},
		"a listed origin of another site":       {"cross-site", "https://app.example.com", false, false},
		"another site, without a referrer":      {"cross-site", "null", false, false},
		"older: this host":                      {"", "https://" + host, false, true},
		"older: this host in capitals":          {"", "https://SHOP.example.com", false, true},
		"older: says nothing":                   {"", "", false, true},
		"older: another site":                   {"", evil, false, false},
		"older: another site without TLS":       {"", "http://evil.example", false, false},
		"older: this host without TLS":          {"", "http://" + host, true, false},
		"older: nobody":                         {"", "null", false, false},
		"older: nobody, with our cookies":       {"", "null", true, true},
		"older: a domain":                       {"", "https://www.shop.example.com", false, false},
		"older: a domain, with our cookies":     {"", "https://www.shop.example.com", true, true},
		"older: the same site, with our cookie": {"", blog, true, false},
	} {
		b := s.person()
		if test.known {
			b.own(http.MethodGet, "line").code(t, name, http.StatusSeeOther)
		}
		var from []string
		if test.site != "" {
			from = append(from, "Sec-Fetch-Site", test.site)
		}
		if test.origin != "" {
			from = append(from, "Origin", test.origin)
		}
		r := b.buy("size=planted", from...).code(t, name, http.StatusSeeOther).head(t, name, "Location", "/.waitroom/golden-toy/line")
		if set := setCookie(r, formCookie) != ""; set != test.takes {
			t.Errorf("%s: the form is kept: %t, want %t", name, set, test.takes)
		}
		if given := setCookie(r, ticketCookie) != ""; given != (test.takes && !test.known) {
			t.Errorf("%s: a ticket is given: %t", name, given)
		}
	}
	// A script reads by its own rules.
	s.browser().buy("", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Site", "cross-site", "Origin", "https://app.example.com").
		code(t, "a script of a listed origin", http.StatusTooManyRequests).head(t, "a script", "Access-Control-Allow-Origin", "https://app.example.com")
}

// TestRoomJoinedElsewhere: a page of another site cannot take somebody's place in the
// line of a room by giving them a new one.
func TestRoomJoinedElsewhere(t *testing.T) {
	t.Parallel()
	s := play(t, plot{room: narrowRoom, shop: inShop})
	_, waits := s.crowded()
	was := waits.cookie(roomTicket)
	victim := s.person() // as its browser posts for somebody else: without cookies
	for name, from := range map[string][]string{
		"another site":        {"Sec-Fetch-Site", "cross-site", "Origin", evil},
		"the same site":       {"Sec-Fetch-Site", "same-site", "Origin", blog},
		"older: another site": {"Origin", evil},
		"older: nobody":       {"Origin", "null"},
	} {
		victim.room(http.MethodPost, "ticket", from...).code(t, name, http.StatusSeeOther).noCookie(t, name).
			head(t, name, "Location", "/.waitroom/shop/line")
	}
	waits.room(http.MethodGet, "line", "Sec-Fetch-Site", "cross-site").isWaiting(t, "led to the line", http.StatusOK)
	if waits.cookie(roomTicket) != was {
		t.Error("the place in line is another")
	}
	r := s.person().room(http.MethodPost, "ticket", "Sec-Fetch-Site", "same-origin", "Origin", "https://"+host).code(t, "from here", http.StatusSeeOther)
	if setCookie(r, roomTicket) == "" {
		t.Error("who joins from a page of the shop's gets no ticket")
	}
}

// TestKeptForItsOwner: what one account has pressed is not there for the next one in the
// same browser, nor pressed by itself; it says that something is lost.
func TestKeptForItsOwner(t *testing.T) {
	t.Parallel()
	s := play(t, queued("", "identity: {cookie: session}"))
	for name, test := range map[string]struct {
		pressed, called string
		is              bool
	}{
		"the same account":    {"alice", "alice", true},
		"another account":     {"alice", "bob", false},
		"signed out":          {"alice", "", false},
		"signed in since":     {"", "bob", false},
		"never signed in":     {"", "", true},
		"an account, emptied": {"alice2", " ", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := s.person()
			b.plant("session", test.pressed)
			b.buy("street=Long+Lane&token="+test.pressed+"secret").code(t, "too soon", http.StatusSeeOther)
			b.plant("session", test.called)
			form := b.turn()
			if test.is != (len(form.fields) == 2) || test.is != form.auto {
				t.Errorf("the form holds %q, goes on: %t", form.fields, form.auto)
			}
			if lost := strings.Contains(form.page, "could not be kept"); lost == test.is {
				t.Errorf("the page says that something is lost: %t", lost)
			}
			if !test.is && strings.Contains(form.page, "Long") {
				t.Error("the page shows what somebody else has chosen")
			}
		})
	}
}

// TestNewerPressOutdates: a press that is not kept ends that the one before it goes on
// by itself, and is not forgotten in silence.
func TestNewerPressOutdates(t *testing.T) {
	t.Parallel()
	s := play(t, queued("", ""))
	for name, test := range map[string]struct {
		body   string
		fields []string
		code   int
		lost   bool
	}{
		"too many":       {"qty=99&size=44", nil, http.StatusUnprocessableEntity, true},
		"not understood": {"qty=x", nil, http.StatusBadRequest, true},
		"by a script":    {`{"size":43}`, []string{"Content-Type", "application/json", "Accept", "application/json", "Sec-Fetch-Mode", "cors"}, http.StatusTooManyRequests, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := s.person()
			b.buy("size=42").code(t, "first press", http.StatusSeeOther)
			b.buy(test.body, test.fields...).code(t, "second press", test.code)
			form := b.turn()
			if form.auto || len(form.fields) > 0 {
				t.Errorf("goes on: %t, with %q", form.auto, form.fields)
			}
			if lost := strings.Contains(form.page, "could not be kept"); lost != test.lost {
				t.Errorf("the page says that something is lost: %t", lost)
			}
		})
	}
	// Nobody else can end it.
	b := s.person()
	b.buy("size=42").code(t, "first press", http.StatusSeeOther)
	b.buy("qty=x", "Sec-Fetch-Site", "same-site", "Origin", blog).code(t, "from elsewhere", http.StatusBadRequest)
	if form := b.turn(); !form.auto || form.body() != "size=42" {
		t.Errorf("after a press of a page elsewhere: goes on: %t, with %q", form.auto, form.body())
	}
	// Who has not pressed before has lost nothing.
	s.person().buy("qty=x").code(t, "the only press", http.StatusBadRequest).noCookie(t, "the only press")
}

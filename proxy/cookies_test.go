package proxy_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

var cookieForm = regexp.MustCompile(`^(__Host-wrp?-golden-toy)=[A-Za-z0-9_-]+; Path=/; Max-Age=(\d+); HttpOnly; Secure; SameSite=Lax$`)

// TestCookies: names, flags, lifetime and size of what is set.
func TestCookies(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	b := s.browser()
	ticket := b.join()
	b.until("called")
	pass := b.own(http.MethodPost, "pass").code(t, "pass", http.StatusOK)
	held := b.buy("").want(t, "buy", http.StatusCreated, "reserved")
	const up = time.Second // ages are rounded up
	for _, test := range []struct {
		what     string
		r        reply
		name     string
		min, max time.Duration
	}{
		{"ticket", ticket, ticketCookie, 2*time.Hour - time.Minute, 2*time.Hour + up},
		{"pass", pass, passCookie, 9 * time.Minute, 20*time.Minute + up},
		{"pass of a holder", held, passCookie, 19 * time.Minute, 20*time.Minute + up},
	} {
		set := test.r.Header.Values("Set-Cookie")
		if len(set) != 1 || len(set[0]) >= 1024 {
			t.Errorf("%s: sets %q, want one cookie under 1 KB", test.what, set)
			continue
		}
		m := cookieForm.FindStringSubmatch(set[0])
		if m == nil || m[1] != test.name {
			t.Errorf("%s: sets %q, want %s in the form %v", test.what, set[0], test.name, cookieForm)
			continue
		}
		age, _ := time.ParseDuration(m[2] + "s")
		if age < test.min || age > test.max {
			t.Errorf("%s: lives %v, want from %v to %v", test.what, age, test.min, test.max)
		}
	}
}

// TestOwnCookiesStayHere: the origin sees the others byte for byte.
func TestOwnCookiesStayHere(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	const others = `a=1; b="x y"; c=%E2%82%AC; d=`
	ours := ticketCookie + "=abc"
	for _, test := range []struct{ sent, want string }{
		{ours + "; " + others, others},
		{`a=1; ` + ours + `; b="x y"; ` + passCookie + `=def; c=%E2%82%AC; d=`, others},
		{others + "; " + ours, others},
		{others, others},
		{"a=1;b=2", "a=1;b=2"},
		{"wr-golden-toy=1; x" + ours, "wr-golden-toy=1; x" + ours},
		{ours, ""},
		{ours + "; " + passCookie + "=def", ""},
		{"__Host-wr-silver=1; a=1", "a=1"},
		{"a=1; __Host-wr-lang=de", "a=1"},
	} {
		_, body := s.raw("GET /cart HTTP/1.1\r\nHost: " + host + "\r\nCookie: " + test.sent + "\r\nConnection: close\r\n\r\n")
		got, there := s.shop.last(t).Header["Cookie"]
		if strings.Join(got, "|") != test.want || there != (test.want != "") {
			t.Errorf("sent %q: the origin sees %q, want %q (%s)", test.sent, got, test.want, body)
		}
	}
}

// TestForeignCookies: what was not signed by us for this sale is as if it were
// not there, whatever stands beside it.
func TestForeignCookies(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: `secret: ["` + secretTwo + `", "` + secretOne + `"]`})
	line, err := queueing.NewLine(s.rdb, &s.cfg.Sales[0]).Tick(t.Context(), false, queueing.Stock{})
	if err != nil {
		t.Fatal(err)
	}
	sign := func(secret, line string) (ticket, pass string) {
		k, err := queueing.NewKeyring([]configs.Secret{configs.NewSecret(secret)})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		return k.SignTicket(queueing.Ticket{Sale: line, Number: queueing.Number{Value: 7}, Issued: now}),
			k.SignPass(queueing.Pass{Sale: line, Number: queueing.Number{Value: 7}, Admitted: now, Expires: now.Add(time.Minute)})
	}
	ticket, pass := sign(secretTwo, line.Line)
	oldTicket, _ := sign(secretOne, line.Line)
	forged, forgedPass := sign("a secret that is not ours, not at all", line.Line)
	other, otherPass := sign(secretTwo, "silver-toy"+strings.TrimPrefix(line.Line, "golden-toy"))
	before, beforePass := sign(secretTwo, "golden-toy/1")
	_, sold := sign(secretTwo, "golden-toy") // see outcome.yes
	for _, test := range []struct{ name, cookies, want string }{
		{"a pass that got something, of whichever line", passCookie + "=" + sold, "7"},
		{"ours", ticketCookie + "=" + ticket, "7"},
		{"rotated", ticketCookie + "=" + oldTicket, "7"},
		{"quoted", ticketCookie + `="` + ticket + `"`, "7"},
		{"ours behind a forged one", ticketCookie + "=" + forged + "; " + ticketCookie + "=" + ticket, "7"},
		{"a pass alone", passCookie + "=" + pass, "7"},
		{"forged", ticketCookie + "=" + forged, ""},
		{"forged pass", passCookie + "=" + forgedPass, ""},
		{"of another sale", ticketCookie + "=" + other + "; " + passCookie + "=" + otherPass, ""},
		{"of another line of this sale", ticketCookie + "=" + before + "; " + passCookie + "=" + beforePass, ""},
		{"a ticket as a pass", passCookie + "=" + ticket, ""},
		{"a pass as a ticket", ticketCookie + "=" + pass, ""},
		{"cut", ticketCookie + "=" + ticket[:len(ticket)-1], ""},
		{"altered", ticketCookie + "=B" + ticket[1:], ""},
		{"under another name", "__Host-wr-silver-toy=" + ticket, ""},
		{"empty", ticketCookie + "=", ""},
	} {
		b := s.browser()
		b.Jar = nil
		r := b.own(http.MethodGet, "me", "Cookie", test.cookies)
		if r.field("number") != test.want || (r.field("state") == "none") != (test.want == "") {
			t.Errorf("%s: me is %s, want number %q", test.name, r.body, test.want)
		}
	}
	b := s.browser()
	b.plant(passCookie, forgedPass)
	b.buy("").code(t, "buy with a forged pass", http.StatusTooManyRequests)
}

// TestHoldersAreIntroduced: the origin learns of a reservation, from us alone,
// and can end the pass.
func TestHoldersAreIntroduced(t *testing.T) {
	t.Parallel()
	s := play(t, plot{
		config: "identity: {cookie: session}\nsecret: [\"" + secretTwo + "\", \"" + secretOne + "\"]",
		shop: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/done" {
				w.Header().Set("Waitroom-Command", "release")
			}
			w.Header().Set("Waitroom-Anything", "kept to ourselves")
		},
	})
	b := s.browser()
	b.plant("session", "alice")
	fields := []string{"Waitroom-Sale", "x", "Waitroom-Reservation", "x", "Waitroom-Token", "x", "Waitroom_Token", "x", "Waitroom-More", "x"}

	b.called().get("/checkout", fields...).code(t, "before", http.StatusOK)
	for name := range s.shop.last(t).Header {
		if strings.HasPrefix(strings.ToLower(name), "waitroom") {
			t.Errorf("without a reservation the origin sees %s", name)
		}
	}
	reservation := b.buy("").want(t, "buy", http.StatusCreated, "reserved").field("reservation")
	r := b.get("/checkout", fields...)
	seen := s.shop.last(t).Header
	if seen.Get("Waitroom-Sale") != "golden-toy" || seen.Get("Waitroom-Reservation") != reservation || seen.Get("Waitroom-More") != "" || seen["Waitroom_token"] != nil {
		t.Errorf("the origin sees %v", seen)
	}
	if r.Header.Get("Waitroom-Anything") != "" {
		t.Error("the shopper sees what the origin said to us")
	}
	claims := proofOf(t, seen, secretTwo)
	if claims["reservation"] != reservation || claims["sale"] != "golden-toy" {
		t.Errorf("the token says %v", claims)
	}

	done := b.get("/done").head(t, "done", "Waitroom-Command", "")
	if set := done.Header.Get("Set-Cookie"); !strings.HasPrefix(set, passCookie+"=; Path=/; Max-Age=0; HttpOnly; Secure") {
		t.Errorf("release sets %q, want the pass deleted", set)
	}
	b.get("/checkout")
	if got := s.shop.last(t).Header.Get("Waitroom-Reservation"); got != "" {
		t.Errorf("after the release the origin still sees %s", got)
	}
	s.browser().get("/done").noCookie(t, "release without a pass")
}

// proofOf reads the signed form of an introduction.
func proofOf(t *testing.T, seen http.Header, secret string) jwt.MapClaims {
	t.Helper()
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(seen.Get("Waitroom-Token"), claims, func(*jwt.Token) (any, error) { return []byte(secret), nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithIssuer("waitroom"), jwt.WithExpirationRequired())
	if err != nil {
		t.Errorf("the token %q: %v", seen.Get("Waitroom-Token"), err)
	}
	return claims
}

// TestAccountOfAnIntroduction is the one that reserved, or none: never another
// that has signed in since.
func TestAccountOfAnIntroduction(t *testing.T) {
	t.Parallel()
	anonymous := play(t, plot{})
	b := anonymous.browser().called()
	b.buy("").want(t, "anonymous", http.StatusCreated, "reserved")
	b.get("/checkout")
	if sub, _ := proofOf(t, anonymous.shop.last(t).Header, secretOne)["sub"].(string); !strings.HasPrefix(sub, "ticket-") {
		t.Errorf("an anonymous shopper is %q, want the ticket's account", sub)
	}
	s := play(t, plot{config: "identity: {header: X-Account}"})
	b = s.browser().called()
	reservation := b.buy("", "X-Account", "alice").want(t, "alice", http.StatusCreated, "reserved").field("reservation")
	for _, now := range []string{"alice", "bob", ""} {
		b.get("/checkout", "X-Account", now)
		claims := proofOf(t, s.shop.last(t).Header, secretOne)
		if sub, said := claims["sub"]; said || claims["reservation"] != reservation {
			t.Errorf("for %q beside the reservation of alice the token names %v and %v, want no account and %s", now, sub, claims["reservation"], reservation)
		}
	}
}

// TestAccountInAHeader counts from anybody as long as no proxy is trusted, and
// from those alone afterwards.
func TestAccountInAHeader(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		proxies string
		want    int
	}{
		{"[]", http.StatusConflict}, {"[127.0.0.1]", http.StatusConflict}, {"[192.0.2.1]", http.StatusCreated},
	} {
		s := play(t, plot{config: "identity: {header: X-Account}\ntrusted_proxies: " + test.proxies})
		s.browser().called().buy("", "X-Account", "alice").want(t, "alice", http.StatusCreated, "reserved")
		s.browser().called().buy("", "X-Account", "alice").code(t, "alice elsewhere, trusted "+test.proxies, test.want)
	}
}

package e2e_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// admit has a client join and claim a pass, and gives both cookies as it would
// send them.
func (f *front) admit(t *testing.T, c *http.Client) (ticket, pass string) {
	t.Helper()
	f.send(c, http.MethodPost, own("ticket"), "")
	eventually(t, "the turn has come", func() bool {
		return strings.Contains(f.send(c, http.MethodGet, own("me"), "").body, `"called"`)
	})
	if r := f.send(c, http.MethodPost, own("pass"), ""); r.StatusCode != http.StatusOK {
		t.Fatalf("the pass is answered %d %s", r.StatusCode, r.body)
	}
	here, _ := url.Parse(f.url("/"))
	for _, cookie := range c.Jar.Cookies(here) {
		switch cookie.Name {
		case "__Host-wr-" + saleID:
			ticket = cookie.String()
		case "__Host-wrp-" + saleID:
			pass = cookie.String()
		}
	}
	if ticket == "" || pass == "" {
		t.Fatalf("the client has the ticket %q and the pass %q", ticket, pass)
	}
	return ticket, pass
}

// TestOwnCookiesEndAtTheEdge: the shop sees the cookies of somebody who is
// admitted byte for byte and in order, ours absent, whatever carries them.
func TestOwnCookiesEndAtTheEdge(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	const others = `a=1; b="x y"; c=%E2%82%AC; d=`
	bothProtocols(t, func(t *testing.T, http2 bool) {
		c := f.client(http2)
		ticket, pass := f.admit(t, c)
		c.Jar = nil
		many := strings.Repeat(ticket+"; ", 40) // as of forty sales, 8 KB and more
		for i, test := range []struct{ sent, want string }{
			{ticket + "; " + pass + "; " + others, others},
			{`a=1; ` + ticket + `; b="x y"; ` + pass + `; c=%E2%82%AC; d=`, others},
			{others + "; " + ticket + "; " + pass, others},
			{many + others, others},
			{others, others},
			{ticket, ""},
			{ticket + "; " + pass, ""},
			{strings.TrimSuffix(many, "; "), ""},
			{strings.ToLower(ticket) + "; a=1", strings.ToLower(ticket) + "; a=1"}, // names have case: not ours
			{"x" + ticket + "; a=1", "x" + ticket + "; a=1"},
		} {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
				target := fmt.Sprintf("/echo/%d?http2=%t&%s", i, http2, method)
				f.send(c, method, target, "", "Cookie", test.sent)
				lines, there := f.shop.Seen(target)[0].Header["Cookie"]
				if got := strings.Join(lines, "; "); got != test.want || there != (test.want != "") {
					t.Errorf("%s of cookies %d: the shop sees %q, want %q", method, i, lines, test.want)
				}
			}
		}
	})
	t.Run("several lines", func(t *testing.T) { // which nobody should send, and some do
		t.Parallel()
		c := f.client(false)
		ticket, pass := f.admit(t, c)
		conn, in := f.raw(t, shopName)
		defer func() { _ = conn.Close() }()
		_, err := fmt.Fprintf(conn, "GET /echo/lines HTTP/1.1\r\nHost: %s\r\nCookie: a=1\r\nCookie: %s\r\ncookie:b=2;  %s ;c=3\r\n\r\n", shopName, ticket, pass)
		if err != nil || !answered(in, 1) {
			t.Fatalf("not answered: %v", err)
		}
		if got := strings.Join(f.shop.Seen("/echo/lines")[0].Header["Cookie"], "|"); got != "a=1|b=2;c=3" && got != "a=1; b=2;c=3" {
			t.Errorf("the shop sees the cookies %q", got)
		}
	})
	t.Run("WebSocket", func(t *testing.T) {
		t.Parallel()
		c := f.client(false)
		ticket, pass := f.admit(t, c)
		c.Jar = nil
		conn, _, err := websocket.Dial(t.Context(), f.url("/chat?cookies"), &websocket.DialOptions{
			HTTPClient: c, HTTPHeader: http.Header{"Cookie": {ticket + "; a=1; " + pass}},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.CloseNow() }()
		if got := strings.Join(f.shop.Seen("/chat?cookies")[0].Header["Cookie"], "|"); got != "a=1" {
			t.Errorf("the shop sees the cookies %q, want a=1", got)
		}
	})
}

// phoneJar keeps cookies as RFC 6265, section 5.3 says, by a clock that is wrong.
// It is for one host.
type phoneJar struct {
	ahead time.Duration

	mu   sync.Mutex
	kept map[string]*http.Cookie
}

func (j *phoneJar) now() time.Time { return time.Now().Add(j.ahead) }

func (j *phoneJar) SetCookies(_ *url.URL, cookies []*http.Cookie) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range cookies {
		switch {
		case c.MaxAge < 0:
			c.Expires = time.Unix(1, 0)
		case c.MaxAge > 0: // decides, whatever Expires says
			c.Expires = j.now().Add(time.Duration(c.MaxAge) * time.Second)
		}
		j.kept[c.Name] = c
	}
}

func (j *phoneJar) Cookies(*url.URL) (cookies []*http.Cookie) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range j.kept {
		if c.Expires.IsZero() || j.now().Before(c.Expires) {
			cookies = append(cookies, c)
		}
	}
	return cookies
}

// TestPlaceOnAPhoneWithWrongClock: the lifetime of what we give does not depend
// on what the phone takes for the time, so place, pass and order are kept.
func TestPlaceOnAPhoneWithWrongClock(t *testing.T) {
	t.Parallel()
	f := openFront(t)
	here, _ := url.Parse(f.url("/"))
	for name, ahead := range map[string]time.Duration{"two days ahead": 48 * time.Hour, "three hours behind": -3 * time.Hour, "right": 0, "in 1970": -time.Duration(time.Now().UnixNano())} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			jar := &phoneJar{ahead: ahead, kept: map[string]*http.Cookie{}}
			jar.SetCookies(here, []*http.Cookie{{Name: "of-old", Expires: time.Now().Add(time.Hour)}})
			if lost := len(jar.Cookies(here)) == 0; lost != (ahead > time.Hour) {
				t.Fatalf("a cookie that expires in an hour is lost: %t", lost)
			}
			c := f.client(true)
			c.Jar = jar
			joined := f.send(c, http.MethodPost, own("ticket"), "")
			for _, line := range joined.Header["Set-Cookie"] {
				if !strings.Contains(line, "; Max-Age=") || strings.Contains(strings.ToLower(line), "expires=") {
					t.Errorf("the ticket is given as %q, want Max-Age alone", line)
				}
			}
			if again := f.send(c, http.MethodPost, own("ticket"), ""); joined.StatusCode != 201 || again.StatusCode != 200 || again.number() != joined.number() {
				t.Errorf("joined: %d %s, and again: %d %s", joined.StatusCode, joined.body, again.StatusCode, again.body)
			}
			f.admit(t, c)
			bought := f.send(c, http.MethodPost, buyPath, "{}", "Content-Type", "application/json", "Accept", "application/json")
			if bought.StatusCode != http.StatusCreated {
				t.Fatalf("the buy is answered %d %s", bought.StatusCode, bought.body)
			}
			if order := f.send(c, http.MethodGet, own("order"), ""); order.StatusCode != http.StatusOK {
				t.Errorf("the order is answered %d %s", order.StatusCode, order.body)
			}
		})
	}
}

// number is the one that an answer of ours gives; empty: it gives none.
func (r reply) number() string {
	_, after, _ := strings.Cut(r.body, `"number":`)
	n, _, _ := strings.Cut(after, ",")
	return n
}

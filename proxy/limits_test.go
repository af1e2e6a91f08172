package proxy_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"
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

// TestSchool: 300 shoppers behind one address who poll as they are told are
// never refused, for longer than any burst would carry them.
func TestSchool(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: defaultLimits, sale: "admit: 1/min"})
	b := s.browser()
	b.Jar = nil
	type pupil struct {
		cookie string
		next   time.Time
	}
	school := make([]pupil, 300)
	for i := range school {
		r := b.join().code(t, "join", http.StatusCreated)
		school[i].cookie = r.Cookies()[0].Name + "=" + r.Cookies()[0].Value
	}
	polls := 0
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end) || polls < 600; { // fewer would say nothing
		for i := range school {
			if time.Now().Before(school[i].next) {
				continue
			}
			r := b.own(http.MethodGet, "me", "Cookie", school[i].cookie)
			if r.StatusCode != http.StatusOK {
				t.Fatalf("poll %d: got %d %s", polls, r.StatusCode, r.body)
			}
			after, _ := strconv.Atoi(r.field("poll_after_ms"))
			school[i].next = time.Now().Add(min(time.Duration(after)*time.Millisecond, time.Second))
			polls++
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

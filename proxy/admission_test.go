package proxy_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// TestWhoHasLeftIsNotAhead: whoever was called is ahead of nobody any more, whether
// they buy or not; who waits never sees more people ahead; and each of two sales
// counts its own.
func TestWhoHasLeftIsNotAhead(t *testing.T) {
	t.Parallel()
	at := func(d time.Duration) string { return time.Now().UTC().Add(d).Format("2006-01-02 15:04:05") }
	s := play(t, plot{sale: "admit: 120/min\nburst: 4", room: fmt.Sprintf(`sale: silver-toy
title: Silver toy
timezone: UTC
doors: %s
opens: %s
closes: %s
product_page: /toys/silver
buy: POST /toys/silver/buy
checkout: /checkout?reservation={reservation}
stock: 10
admit: 1/min
`, at(-2*time.Hour), at(-time.Hour), at(time.Hour))})
	var gold []*browser
	for range 6 {
		b := s.browser()
		b.join()
		gold = append(gold, b)
	}
	for i, b := range gold[:4] { // two of them buy, two are never seen again
		b.admitted()
		if i < 2 {
			b.buy("").want(t, "buy", http.StatusCreated, "reserved")
		}
	}
	silver := make([]*browser, 3)
	for i := range silver {
		silver[i] = s.browser()
		r := silver[i].do(http.MethodPost, "/.waitroom/silver-toy/ticket", "").code(t, "silver", http.StatusCreated)
		if got := r.field("number"); got != strconv.Itoa(i) {
			t.Errorf("entry %d of the other sale has number %s", i, got)
		}
	}
	last := s.browser()
	s.browser().join()
	last.join()
	least := uint64(8 - 4)
	for range 10 {
		ahead := last.own(http.MethodGet, "me").field("ahead")
		n, err := strconv.ParseUint(ahead, 10, 64)
		if err != nil || n > least {
			t.Fatalf("%s people ahead; want %d or fewer", ahead, least)
		}
		least = n
		<-time.After(100 * time.Millisecond)
	}
	for sale, want := range map[string]string{"golden-toy": "8", "silver-toy": "3"} {
		s.until(sale+" counts "+want, func() bool {
			return s.browser().get("/.waitroom/"+sale+"/status").field("entered") == want
		})
	}
}

// TestNoSecretIsInAnAddress: ticket and pass travel in cookies alone. No address that
// anybody is led to, no page and no record has them, and pages tell no other site
// where they were.
func TestNoSecretIsInAnAddress(t *testing.T) {
	t.Parallel()
	s := play(t, plot{shop: inShop, room: narrowRoom})
	b := s.person()
	var all []reply
	keep := func(r reply) reply { all = append(all, r); return r }
	keep(b.buy("qty=1"))
	keep(b.get("/.waitroom/golden-toy/line"))
	b.until("called")
	keep(b.do(http.MethodPost, "/.waitroom/golden-toy/pass", ""))
	keep(b.buy("qty=1"))
	keep(b.get("/.waitroom/golden-toy/line"))
	keep(b.get("/.waitroom/golden-toy/order"))
	keep(b.get("/shop/x?a=b"))
	var secrets []string
	for _, r := range all {
		for _, c := range (&http.Response{Header: r.Header}).Cookies() {
			if strings.HasPrefix(c.Name, "__Host-wr") && len(c.Value) > 20 {
				secrets = append(secrets, c.Value)
			}
		}
	}
	if len(secrets) < 3 {
		t.Fatalf("%d secrets, want a ticket, a pass and one that got something", len(secrets))
	}
	log := s.log.text()
	for _, secret := range secrets {
		for _, r := range all {
			if strings.Contains(r.Header.Get("Location"), secret) || strings.Contains(r.body, secret) {
				t.Errorf("%s %s tells a secret", r.Request.Method, r.Request.URL.Path)
			}
		}
		if strings.Contains(log, secret) {
			t.Error("a record tells a secret")
		}
	}
	for _, r := range all {
		if strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") && strings.HasPrefix(r.Request.URL.Path, "/.waitroom/") {
			r.head(t, r.Request.URL.Path, "Referrer-Policy", "same-origin")
		}
	}
}

// TestPassThatHasEnded buys nothing: whoever shows it is where the ticket is, and
// claims anew; without the ticket they are asked to join.
func TestPassThatHasEnded(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	ticket := s.browser().called().cookie(ticketCookie)
	line, err := queueing.NewLine(s.rdb, &s.cfg.Sales[0]).Tick(t.Context(), false, queueing.Stock{})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := queueing.NewKeyring([]configs.Secret{configs.NewSecret(secretOne)})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	ended := keys.SignPass(queueing.Pass{
		Sale: line.Line, ID: queueing.NewTicket(line.Line, queueing.Number{}, now).ID,
		Admitted: now.Add(-time.Hour), Expires: now.Add(-time.Second),
	})
	alone := s.browser()
	alone.plant(passCookie, ended)
	if r := alone.buy("qty=1").code(t, "a pass that has ended", http.StatusTooManyRequests); r.field("state") == "admitted" {
		t.Errorf("a pass that has ended: %s", r.body)
	}
	if left := s.left(); left != 10 {
		t.Errorf("%d units are left, want all", left)
	}
	again := s.browser()
	again.plant(passCookie, ended)
	again.plant(ticketCookie, ticket)
	if got := again.own(http.MethodGet, "me").field("state"); got != "called" {
		t.Errorf("with its ticket: %q, want called", got)
	}
	again.buy("qty=1").want(t, "with its ticket", http.StatusCreated, "reserved")
}

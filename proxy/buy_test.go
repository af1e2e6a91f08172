package proxy_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
)

// stores are the Redis of a shop and the one of the embedded mode.
var stores = map[string]func(testing.TB) string{
	"redis":     func(t testing.TB) string { return testserver.Redis(t) },
	"miniredis": func(t testing.TB) string { return testserver.MiniURL(testserver.Mini(t)) },
}

// TestBuy goes the whole way of a buy: into the line, called, admitted on the
// way, a hold, the same hold again, and no second one.
func TestBuy(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, plot{redis: open(t)})
			b := s.browser()

			first := b.buy("").code(t, "without a ticket", http.StatusTooManyRequests)
			first.head(t, "without a ticket", "Cache-Control", "no-store").head(t, "without a ticket", "Content-Type", "application/json")
			if n, err := strconv.Atoi(first.Header.Get("Retry-After")); err != nil || n < 1 {
				t.Errorf("without a ticket: Retry-After %q, want whole seconds", first.Header.Get("Retry-After"))
			}
			if first.field("number") != "0" || b.cookie(ticketCookie) == "" {
				t.Errorf("without a ticket: got %s and ticket %q, want number 0 and a ticket", first.body, b.cookie(ticketCookie))
			}

			b.until("called")
			yes := b.buy("qty=1").want(t, "called", http.StatusCreated, "reserved")
			reservation := yes.field("reservation")
			if want := "/checkout?reservation=" + reservation; reservation == "" || yes.field("checkout") != want {
				t.Errorf("called: checkout %q, want %q", yes.field("checkout"), want)
			}
			checkPayBefore(t, yes, 10*time.Minute)
			if s.left() != 9 {
				t.Errorf("after one buy %d units are left, want 9", s.left())
			}

			again := b.buy("qty=1").want(t, "again, keyed by the pass", http.StatusCreated, "reserved")
			if again.field("reservation") != reservation || again.field("pay_before") != yes.field("pay_before") {
				t.Errorf("again: got %s, want the hold of %s", again.body, yes.body)
			}
			twice := b.buy("qty=1", "Idempotency-Key", "other").want(t, "second unit", http.StatusConflict, "already_bought")
			if twice.field("reservation") != reservation || twice.field("pay_before") != "" {
				t.Errorf("second unit: got %s, want reservation %s and no pay_before", twice.body, reservation)
			}
			if s.left() != 9 {
				t.Errorf("at the end %d units are left, want 9", s.left())
			}
			if n := s.shop.asked("/toys/golden/buy"); n != 0 {
				t.Errorf("the origin saw %d buys, want none", n)
			}
		})
	}
}

func checkPayBefore(t *testing.T, r reply, hold time.Duration) {
	t.Helper()
	ms, err := strconv.ParseInt(r.field("pay_before"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if left := time.Until(time.UnixMilli(ms)); left < hold-10*time.Second || left > hold+time.Second {
		t.Errorf("pay_before is in %v, want in about %v", left, hold)
	}
}

// TestBuyByForm: what browsers post is answered so that a reload posts nothing.
func TestBuyByForm(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	b := s.person()
	b.buy("qty=1").code(t, "first", http.StatusSeeOther).
		head(t, "first", "Location", "/.waitroom/golden-toy/line").
		head(t, "first", "Cache-Control", "no-store")
	b.until("called")
	yes := b.buy("qty=1").code(t, "called", http.StatusCreated).head(t, "called", "Content-Type", "text/html; charset=utf-8")
	for _, part := range []string{"/checkout?reservation=", `url=/.waitroom/golden-toy/line`} {
		if !strings.Contains(yes.body, part) {
			t.Errorf("the page of a yes does not contain %q", part)
		}
	}
	again := b.buy("qty=1").code(t, "posted again by a reload", http.StatusCreated)
	if !strings.Contains(again.body, "/checkout?reservation=") {
		t.Error("the page of a second press before paying has no checkout")
	}
	id := b.own(http.MethodGet, "order").field("reservation")
	report(t, s.gate.Tell(context.Background(), gate.Note{Reservation: id, Status: gate.Paid, Version: 2, Qty: 1}))
	paid := b.buy("qty=1").code(t, "pressed again after paying", http.StatusCreated)
	if strings.Contains(paid.body, "left to pay") || strings.Contains(paid.body, "/checkout?reservation=") {
		t.Error("who has paid is asked to pay")
	}
	if s.left() != 9 {
		t.Errorf("%d units are left, want 9", s.left())
	}
}

// TestBuyFromScripts: background calls get JSON, never a page or a redirect.
func TestBuyFromScripts(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	for name, fields := range map[string][]string{
		"accepts json":        {"Accept", "application/json"},
		"cors":                {"Sec-Fetch-Mode", "cors", "Accept", "text/html"},
		"XMLHttpRequest":      {"X-Requested-With", "XMLHttpRequest", "Accept", "text/html"},
		"anything, JSON in":   {"Accept", "*/*", "Content-Type", "application/json"},
		"anything, form in":   {"Accept", "*/*"},
		"says nothing at all": {},
	} {
		body := "qty=1"
		if strings.Contains(name, "JSON in") {
			body = `{"qty":1}`
		}
		r := s.browser().buy(body, fields...).code(t, name, http.StatusTooManyRequests).
			head(t, name, "Content-Type", "application/json").head(t, name, "Cache-Control", "no-store")
		if r.field("state") == "" || r.field("number") == "" || r.field("poll_after_ms") == "" {
			t.Errorf("%s: got %s, want the fields of me", name, r.body)
		}
		if after, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || after < 1 {
			t.Errorf("%s: Retry-After %q, want whole seconds", name, r.Header.Get("Retry-After"))
		}
	}
}

// TestDoubleClick: copies of one request, all at once, take one unit, and all
// are told so.
func TestDoubleClick(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "k1"} {
		t.Run("key "+key, func(t *testing.T) {
			t.Parallel()
			s := play(t, plot{redis: testserver.Redis(t), sale: "per_account: 3"})
			b := s.browser().called()
			var fields []string
			if key != "" {
				fields = []string{"Idempotency-Key", key}
			}
			var mu sync.Mutex
			told := map[string]int{}
			var clicks sync.WaitGroup
			for range 20 {
				clicks.Go(func() {
					r := b.buy("qty=1", fields...)
					mu.Lock()
					defer mu.Unlock()
					told[fmt.Sprint(r.StatusCode, r.field("reservation"), r.field("pay_before"))]++
				})
			}
			clicks.Wait()
			if len(told) != 1 || s.left() != 9 {
				t.Errorf("answers %v and %d units left, want one answer 20 times and 9", told, s.left())
			}
		})
	}
}

// TestKeyReuse: a key means one request of one shopper.
func TestKeyReuse(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: "per_account: 3"})
	b := s.browser().called()
	b.buy("qty=1", "Idempotency-Key", "k1").want(t, "first", http.StatusCreated, "reserved")
	b.buy("qty=2", "Idempotency-Key", "k1").want(t, "other body", http.StatusUnprocessableEntity, "key_reused")
	b.do(http.MethodPost, "/toys/golden/buy?a=1", "qty=1", "Idempotency-Key", "k1").
		want(t, "other query", http.StatusUnprocessableEntity, "key_reused")
	b.buy("qty=1", "Idempotency-Key", "k1").want(t, "the same", http.StatusCreated, "reserved")
	s.browser().called().buy("qty=2", "Idempotency-Key", "k1").want(t, "somebody else", http.StatusCreated, "reserved")
	if s.left() != 7 {
		t.Errorf("%d units are left, want 7", s.left())
	}
}

// TestTwoTabs: whoever is signed in holds one ticket in all browsers, also where that
// is not asked for, and to buy in the other is to press the button twice.
func TestTwoTabs(t *testing.T) {
	t.Parallel()
	s := play(t, plot{config: "identity: {cookie: session}"})
	one, two := s.browser(), s.browser()
	one.plant("session", "alice")
	two.plant("session", "alice")
	one.called()
	two.called()
	if ticketID(t, one) != ticketID(t, two) {
		t.Error("two browsers of an account have tickets of two names")
	}
	first := one.buy("").want(t, "one", http.StatusCreated, "reserved")
	second := two.buy("").want(t, "two", http.StatusCreated, "reserved")
	if first.field("reservation") != second.field("reservation") || s.left() != 9 {
		t.Errorf("two is told %s, %d left; want the reservation of one, %s", second.body, s.left(), first.body)
	}
	for range 2 { // who is not signed in is somebody else each time
		s.browser().called().buy("").want(t, "a guest", http.StatusCreated, "reserved")
	}
}

// TestQuantities: what is not plainly a whole number from 1 is not sold.
func TestQuantities(t *testing.T) {
	t.Parallel()
	s := play(t, plot{stock: 100, sale: "per_account: 5"})
	b := s.browser().admitted()
	form, json := "application/x-www-form-urlencoded", "application/json"
	for _, test := range []struct {
		kind, body string
		want       int
	}{
		{form, "qty=-1", 400}, {form, "qty=0", 400}, {form, "qty=1.5", 400}, {form, `qty="1"`, 400},
		{form, "qty=1e3", 400}, {form, "qty=9007199254740993", 422}, {form, "qty=99999999999999999999", 400},
		{form, "qty=", 400}, {form, "qty=null", 400}, {form, "qty=%EF%BC%91", 400}, {form, "qty=1&qty=1", 400},
		{form, "qty=+1", 400}, {form, "qty=01", 400}, {form, "qty=0x1", 400}, {form, "Qty=2", 400}, {form, "qty[]=2", 400},
		{form, "qty=6", 422}, {form, "qty=%zz", 400}, {form, "a=1;qty=2", 400},
		{form, strings.Repeat("a=1&", 10_001) + "qty=9", 400},
		{json, `{"qty":-1}`, 400}, {json, `{"qty":0}`, 400}, {json, `{"qty":1.5}`, 400}, {json, `{"qty":"1"}`, 400},
		{json, `{"qty":1e3}`, 400}, {json, `{"qty":1.0}`, 400}, {json, `{"qty":9007199254740993}`, 422}, {json, `{"qty":null}`, 400},
		{json, `{"qty":1,"qty":2}`, 400}, {json, `{"qty":1,"Qty":2}`, 400}, {json, `{"qty":1}{"qty":2}`, 400},
		{json, `{"qty":1`, 400}, {json, `[1]`, 400}, {json, `{"qty":[1]}`, 400}, {json, "{\"qty\":\uff11}", 400},
		{form, "qty[0]=2", 400}, {form, "items[0][qty]=2", 400}, {form, "items[0][QTY]=2", 400}, {form, "item.qty=2", 400}, {form, "%20qty=2", 400},
		{json, `{"items":[{"qty":2}]}`, 400}, {json, `{"size":{"qty":7},"qty":2}`, 400}, {json, `{"a":[[{"b":{"Qty":2}}]]}`, 400},
		{json, `{"items[0][qty]":2}`, 400}, {json, `{"qty ":2}`, 400},
		{form, `{"qty":2}`, 400}, {form, ` [{"qty":2}]`, 400}, {form, `{"qty":2,"a":"="}`, 400},
		{form + "; charset=utf-16", "qty=2", 415}, {json + "; charset=ISO-8859-1", `{"qty":2}`, 415}, {json + `; charset=""`, `{"qty":2}`, 415},
		{form, "_method=delete", 400}, {form, "_METHOD=GET", 400}, {form, "_method=put&_method=get", 400}, {json, `{"_method":"delete"}`, 400},
		{"text/plain", "qty=1", 400}, {"multipart/mixed; boundary=x", "--x--", 400}, {"multipart/form-data", "--x--", 400}, {"multipart/form-data; boundary=x", "--y--", 400}, {"", "qty=1", 400},
	} {
		r := b.buy(test.body, "Content-Type", test.kind)
		if r.StatusCode != test.want {
			t.Errorf("%s %.40q: got %d %s, want %d", test.kind, test.body, r.StatusCode, r.body, test.want)
		}
	}
	b.do(http.MethodPost, "/toys/golden/buy?qty=1", "qty=1").code(t, "in query and body", http.StatusBadRequest)
	b.do(http.MethodPost, "/toys/golden/buy?qty=1;qty=2", "").code(t, "semicolon in the query", http.StatusBadRequest)
	b.do(http.MethodPost, "/toys/golden/buy?"+strings.Repeat("a=1&", 3000), "").code(t, "long query", http.StatusBadRequest)
	b.do(http.MethodPost, "/toys/golden/buy?_method=delete", "").code(t, "another method in the query", http.StatusBadRequest)
	b.buy("qty=2", "Content-Encoding", "gzip").want(t, "packed", http.StatusUnsupportedMediaType, "bad_request")
	b.buy("qty=2", "X-HTTP-Method-Override", "DELETE").code(t, "another method in a field", http.StatusBadRequest)
	b.buy("qty=2", "X_Http_Method", "GET").code(t, "another method in a field with underscores", http.StatusBadRequest)
	b.buy("", "Idempotency-Key", strings.Repeat("k", 256)).code(t, "long key", http.StatusBadRequest)
	if s.left() != 100 {
		t.Errorf("%d units are left, want all 100", s.left())
	}
	b.buy(`{"size":{"eu":[7]},"qty":2}`, "Content-Type", "application/json; charset=UTF-8", "Content-Encoding", "identity", "Idempotency-Key", "a").
		want(t, "two as JSON", http.StatusCreated, "reserved")
	b.buy("qty=4", "Idempotency-Key", "c").want(t, "beyond five by splitting", http.StatusConflict, "already_bought")
	s.browser().admitted().do(http.MethodPost, "/toys/golden/buy?qty=2", "").want(t, "two in the query", http.StatusCreated, "reserved")
	s.browser().admitted().do(http.MethodPut, "/toys/golden/buy", "size[eu]=L&_method=put", "X-HTTP-Method-Override", "PATCH", "Content-Type", form+"; charset=us-ascii").
		want(t, "one, unsaid", http.StatusCreated, "reserved")
	if s.left() != 95 {
		t.Errorf("%d units are left, want 95", s.left())
	}
}

// TestSoldOut: the no after the last unit comes from memory, and a unit that
// comes back opens the sale again.
func TestSoldOut(t *testing.T) {
	t.Parallel()
	s := play(t, plot{stock: 1})
	winner, late := s.browser().called(), s.browser().called()
	yes := winner.buy("").want(t, "the last one", http.StatusCreated, "reserved")

	late.buy("").want(t, "right after it", http.StatusConflict, "sold_out") // the latch, before any tick
	s.state("all_held")
	before := s.calls.n.Load()
	for range 20 {
		late.buy("").want(t, "late", http.StatusConflict, "sold_out").head(t, "late", "Cache-Control", "no-store")
		s.browser().buy("").want(t, "a newcomer", http.StatusConflict, "sold_out").noCookie(t, "a newcomer")
	}
	s.person().buy("qty=1").code(t, "a form", http.StatusConflict).head(t, "a form", "Content-Type", "text/html; charset=utf-8")
	if n := s.calls.n.Load() - before; n != 0 {
		t.Errorf("41 noes cost %d commands to Redis, want none", n)
	}

	if ok, err := s.gate.Release(context.Background(), "", yes.field("reservation")); err != nil || !ok {
		t.Fatalf("release: %t, %v", ok, err)
	}
	s.state("open")
	late.buy("").want(t, "after one came back", http.StatusCreated, "reserved")
}

// TestSoldOutForGood: when all units are paid, that is final.
func TestSoldOutForGood(t *testing.T) {
	t.Parallel()
	s := play(t, plot{stock: 1})
	b, late := s.browser().called(), s.person().called()
	r := b.buy("")
	note := gate.Note{Reservation: r.field("reservation"), Status: gate.Paid, Version: 2, Qty: 1}
	if err := s.gate.Tell(context.Background(), note); err != nil {
		t.Fatal(err)
	}
	s.state("sold_out")
	late.buy("qty=1").code(t, "late", http.StatusConflict)
	late.html = false
	if got := late.own(http.MethodGet, "me").field("state"); got != "sold_out" {
		t.Errorf("late is told %s, want sold_out", got)
	}
	s.browser().join().code(t, "joining", http.StatusConflict).noCookie(t, "joining")
	if got := b.own(http.MethodGet, "order").field("status"); got != "paid" {
		t.Errorf("order of the winner is %s, want paid", got)
	}
}

// TestPaused: nobody is let through, places are kept, and all is as before
// afterwards.
func TestPaused(t *testing.T) {
	t.Parallel()
	t.Run("by an operator", func(t *testing.T) {
		t.Parallel()
		s := play(t, plot{})
		s.pauses(func() {
			s.admin(http.MethodPost, "/v1/sales/golden-toy/pause", "", token).want(t, "pause", http.StatusOK, "ok")
		},
			func() {
				s.admin(http.MethodPost, "/v1/sales/golden-toy/resume", "", token).want(t, "resume", http.StatusOK, "ok")
			})
	})
	t.Run("gate closed", func(t *testing.T) {
		t.Parallel()
		s := play(t, plot{})
		s.pauses(func() { _ = s.gate.Close(context.Background(), "test") }, func() { s.stock(10, 7) })
	})
	t.Run("Redis away", func(t *testing.T) {
		t.Parallel()
		server := testserver.StartRedis(t, "--appendonly", "yes", "--appendfsync", "always")
		s := play(t, plot{redis: server.URL})
		s.pauses(server.Kill, server.Start)
	})
	t.Run("Redis hangs", func(t *testing.T) {
		t.Parallel()
		server := testserver.StartRedis(t)
		s := play(t, plot{redis: server.URL})
		s.pauses(server.Pause, server.Resume)
	})
}

func (s *stage) pauses(begin, end func()) {
	t := s.t
	t.Helper()
	called, admitted := s.browser().called(), s.browser().admitted()
	number := called.own(http.MethodGet, "me").field("number")
	begin()
	s.state("paused")
	for name, b := range map[string]*browser{"called": called, "admitted": admitted, "new": s.browser()} {
		r := b.buy("").want(t, name, http.StatusServiceUnavailable, "paused").head(t, name, "Cache-Control", "no-store")
		if n, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || n < 1 {
			t.Errorf("%s: Retry-After %q, want whole seconds", name, r.Header.Get("Retry-After"))
		}
	}
	if got := called.own(http.MethodGet, "me").field("state"); got != "paused" {
		t.Errorf("state of the called is %s, want paused", got)
	}
	page := s.person().get("/toys/golden")
	page.code(t, "product page", http.StatusOK)
	end()
	s.state("open")
	if got := called.own(http.MethodGet, "me").field("number"); got != number {
		t.Errorf("number after the pause is %s, want %s", got, number)
	}
	called.buy("").want(t, "called, afterwards", http.StatusCreated, "reserved")
	admitted.buy("").want(t, "admitted, afterwards", http.StatusCreated, "reserved")
}

// TestBeforeAndAfter: no buy before the opening, none after the closing.
func TestBeforeAndAfter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		plot         plot
		code         int
		field, value string
		ticket       bool
	}{
		{"scheduled", plot{doors: time.Hour, opens: 2 * time.Hour, closes: 3 * time.Hour}, 429, "state", "none", false},
		{"doors", plot{doors: -time.Hour, opens: time.Hour, closes: 2 * time.Hour}, 429, "state", "lottery", true},
		{"ended", plot{doors: -3 * time.Hour, opens: -2 * time.Hour, closes: -time.Hour}, 409, "status", "ended", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := play(t, test.plot)
			b := s.browser()
			r := b.buy("").code(t, "buy", test.code)
			if got := r.field(test.field); got != test.value {
				t.Errorf("%s is %q, want %q: %s", test.field, got, test.value, r.body)
			}
			if got := b.cookie(ticketCookie) != ""; got != test.ticket {
				t.Errorf("got a ticket: %t, want %t", got, test.ticket)
			}
			b.join()
			if got := b.cookie(ticketCookie) != ""; got != test.ticket {
				t.Errorf("after joining got a ticket: %t, want %t", got, test.ticket)
			}
		})
	}
}

// TestDraw: who entered before the opening is in the draw, who comes later
// stands behind it, and one shopper after the other is called.
func TestDraw(t *testing.T) {
	t.Parallel()
	s := play(t, plot{doors: -time.Minute, opens: 5 * time.Second})
	var early []*browser
	for range 5 {
		b := s.browser()
		b.join().code(t, "join", http.StatusCreated)
		early = append(early, b)
	}
	s.state("open")
	late := s.browser()
	late.join().code(t, "join late", http.StatusCreated)
	places := map[string]bool{}
	for _, b := range early {
		b.until("called")
		places[b.own(http.MethodGet, "me").field("place")] = true
	}
	for place := range 5 {
		if !places[strconv.Itoa(place)] {
			t.Errorf("places are %v, want 0 to 4", places)
		}
	}
	if got := late.own(http.MethodGet, "me").field("place"); got != "5" {
		t.Errorf("the late place is %s, want 5", got)
	}
	var status reply
	s.until("status with the draw", func() bool {
		status = late.own(http.MethodGet, "status")
		return status.field("entered") == "6"
	})
	if status.field("drawn") != "5" || len(status.field("seed")) != 64 || len(status.field("commitment")) != 64 {
		t.Errorf("status is %s, want 5 drawn, a seed and its commitment", status.body)
	}
}

// TestSlowRate: who is called before there is a pass is told when.
func TestSlowRate(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: "admit: 6/min"})
	one, two := s.browser(), s.browser()
	one.join()
	two.join()
	eventually(t, "called", func() bool {
		for _, b := range []*browser{one, two} {
			if b.own(http.MethodGet, "me").field("state") == "called" {
				return true
			}
		}
		return false
	})
	b := one
	if one.own(http.MethodGet, "me").field("state") != "called" {
		b = two
	}
	r := b.own(http.MethodPost, "pass").code(t, "pass", http.StatusTooManyRequests)
	after, _ := strconv.Atoi(r.Header.Get("Retry-After"))
	poll, _ := strconv.Atoi(r.field("poll_after_ms"))
	if after < 2 || after > 16 || poll < (after-1)*1000 || poll > after*1000 {
		t.Errorf("told to come back after %d s and %d ms, want both up to the 10 s of a pass and a half more: %s", after, poll, r.body)
	}
}

// TestSecondClickOnTheLastUnit: it crosses the answer to the first, so it brings
// no pass, and it finds the hold although all is gone.
func TestSecondClickOnTheLastUnit(t *testing.T) {
	t.Parallel()
	s := play(t, plot{stock: 1})
	b := s.browser().called()
	yes := b.buy("").want(t, "first click", http.StatusCreated, "reserved")
	s.state("all_held")
	b.plant(passCookie, "")
	if got := b.own(http.MethodGet, "me").field("state"); got != "held" {
		t.Errorf("without the pass the state is %s, want held", got)
	}
	again := b.buy("").want(t, "second click", http.StatusCreated, "reserved")
	if again.field("reservation") != yes.field("reservation") || s.left() != 0 {
		t.Errorf("the second click got %s, want the hold of %s", again.body, yes.body)
	}
}

package proxy_test

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// TestOneTicketPerAccount: who has no account is asked to sign in, an account has
// one number on all its devices and all edges, and a ticket once given is kept.
func TestOneTicketPerAccount(t *testing.T) {
	t.Parallel()
	p := plot{redis: testserver.Redis(t), sale: "one_ticket_per_account: true", config: "identity: {header: X-Account}",
		doors: -time.Minute, opens: time.Hour, closes: 2 * time.Hour}
	one := play(t, p)
	two := one.beside(p)

	stranger := one.browser()
	stranger.join().want(t, "a stranger", http.StatusForbidden, "sign_in").noCookie(t, "a stranger")
	stranger.buy("").want(t, "a stranger who buys", http.StatusForbidden, "sign_in").noCookie(t, "a stranger who buys")
	person := one.person()
	for what, page := range map[string]reply{
		"line": person.own(http.MethodGet, "line"), "ticket": person.join(), "buy": person.buy("qty=1"),
	} {
		page.code(t, what, http.StatusForbidden).noCookie(t, what)
		if !strings.Contains(page.body, "Please sign in first") || !strings.Contains(page.body, `href="/toys/golden"`) {
			t.Errorf("%s: the page does not ask to sign in, or leads nowhere:\n%s", what, page.body)
		}
	}
	if got := person.own(http.MethodGet, "status").field("entered"); got != "0" {
		t.Errorf("strangers entered: %s", got)
	}

	anna := one.browser()
	if n := anna.own(http.MethodPost, "ticket", "X-Account", "anna").code(t, "anna", http.StatusCreated).field("number"); n != "0" {
		t.Errorf("anna has number %s, want 0", n)
	}
	phone := two.browser()
	if n := phone.own(http.MethodPost, "ticket", "X-Account", "anna").code(t, "anna's phone", http.StatusCreated).field("number"); n != "0" {
		t.Errorf("anna's phone has number %s, want 0", n)
	}
	if ticketID(t, anna) != ticketID(t, phone) {
		t.Error("two devices of an account have tickets of two names")
	}
	if n := anna.own(http.MethodPost, "ticket", "X-Account", "bert").code(t, "anna signed in as bert", http.StatusOK).field("number"); n != "0" {
		t.Errorf("signed in as somebody else: number %s, want 0", n)
	}
	anna.join().code(t, "anna, signed out", http.StatusOK)
	if n := two.browser().own(http.MethodPost, "ticket", "X-Account", "bert").field("number"); n != "1" {
		t.Errorf("bert has number %s, want 1", n)
	}

	numbers := make(chan reply, 20)
	var devices sync.WaitGroup
	for i := range cap(numbers) {
		b := []*stage{one, two}[i%2].browser()
		devices.Go(func() { numbers <- b.own(http.MethodPost, "ticket", "X-Account", "carla") })
	}
	devices.Wait()
	close(numbers)
	for r := range numbers {
		if r.field("number") != "2" {
			t.Errorf("carla is told %d %s, want number 2", r.StatusCode, r.body)
		}
	}
	one.until("three entries", func() bool { return person.own(http.MethodGet, "status").field("entered") == "3" })
}

// TestOneTicketBuysOnce: two devices of an account hold one place, one pass and one
// unit. To buy on the second is to press the button twice.
func TestOneTicketBuysOnce(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: "one_ticket_per_account: true", config: "identity: {header: X-Account}"})
	first, second := s.browser(), s.browser()
	for _, b := range []*browser{first, second} {
		b.own(http.MethodPost, "ticket", "X-Account", "anna").code(t, "join", http.StatusCreated)
		b.until("called")
	}
	r := first.buy("", "X-Account", "anna").want(t, "first device", http.StatusCreated, "reserved")
	again := second.buy("", "X-Account", "anna").want(t, "second device", http.StatusCreated, "reserved")
	if again.field("reservation") != r.field("reservation") || s.left() != 9 {
		t.Errorf("got %s and %s, %d left; want one unit for both devices", r.body, again.body, s.left())
	}
	second.until("held")
}

// TestOneTicketIsOneAtTheGate: signed in as somebody else, each device of an
// account still holds the one ticket, which gets one reservation.
func TestOneTicketIsOneAtTheGate(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: "one_ticket_per_account: true", config: "identity: {header: X-Account}"})
	devices := []*browser{s.browser(), s.browser(), s.browser(), s.browser(), s.browser()}
	for _, b := range devices {
		b.own(http.MethodPost, "ticket", "X-Account", "alice").code(t, "join", http.StatusCreated)
		b.until("called")
	}
	got := map[int]int{}
	for i, b := range devices {
		got[b.buy("", "X-Account", "friend-"+strconv.Itoa(i)).StatusCode]++
	}
	if got[http.StatusCreated] != 1 || got[http.StatusConflict] != 4 || s.left() != 9 {
		t.Errorf("answers %v, %d left; want one unit for the one ticket", got, s.left())
	}
}

// ticketID reads the name of the ticket in a browser's cookie.
func ticketID(t *testing.T, b *browser) [8]byte {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(b.cookie(ticketCookie))
	if err != nil || len(raw) < 10 {
		t.Fatalf("ticket %q: %v", b.cookie(ticketCookie), err)
	}
	return [8]byte(raw[2:10]) // behind the version and a small number
}

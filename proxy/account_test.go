package proxy_test

import (
	"net/http"
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
	if anna.cookie(ticketCookie) == phone.cookie(ticketCookie) {
		t.Error("two devices have one ticket")
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
// unit.
func TestOneTicketBuysOnce(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: "one_ticket_per_account: true", config: "identity: {header: X-Account}"})
	got := map[int]int{}
	for range 2 {
		b := s.browser()
		b.own(http.MethodPost, "ticket", "X-Account", "anna").code(t, "join", http.StatusCreated)
		b.until("called")
		got[b.buy("", "X-Account", "anna").StatusCode]++
	}
	if got[http.StatusCreated] != 1 || got[http.StatusConflict] != 1 || s.left() != 9 {
		t.Errorf("answers %v, %d left; want one unit for both devices", got, s.left())
	}
}

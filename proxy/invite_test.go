package proxy_test

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/static"
)

const invites = "invitations: 5"

func ring(t testing.TB, secret string) *queueing.Keyring {
	t.Helper()
	k, err := queueing.NewKeyring([]configs.Secret{configs.NewSecret(secret)})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// link is the path of an invitation's link, as `waitroom invite` prints it.
func link(t testing.TB, number uint64, expires time.Time) string {
	t.Helper()
	return "/.waitroom/golden-toy/invite?i=" + ring(t, secretOne).SignInvitation(
		queueing.Invitation{Sale: "golden-toy", Number: number, Expires: expires})
}

// invited opens the link of an invitation.
func (b *browser) invited(number uint64) *browser {
	b.s.t.Helper()
	r := b.get(link(b.s.t, number, time.Time{})).code(b.s.t, "invitation", http.StatusSeeOther).
		head(b.s.t, "invitation", "Location", "/.waitroom/golden-toy/line?joined").
		head(b.s.t, "invitation", "Cache-Control", "no-store")
	if len(r.Cookies()) != 1 || r.Cookies()[0].Name != ticketCookie {
		b.s.t.Fatalf("the link set %v, want the ticket", r.Cookies())
	}
	return b
}

// counted is the sum of a counter's values.
func (s *stage) counted(name string) (n float64) {
	s.t.Helper()
	families, err := s.metrics.Gather()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name {
				n += m.GetCounter().GetValue()
			}
		}
	}
	return n
}

// TestInvitedComeInWithTheOpening: before it they wait as everybody, without a
// number; with it they are called, while the line's head has not moved yet.
func TestInvitedComeInWithTheOpening(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: invites, doors: -time.Minute, opens: 5 * time.Second})
	b := s.person().invited(4)
	page := b.own(http.MethodGet, "line?joined").code(t, "line", http.StatusOK)
	if got := titleOf(page.body); got != pageTitles(t)[static.Invited] {
		t.Errorf("the page is titled %q", got)
	}
	if strings.Contains(page.body, "data-number") || strings.Contains(page.body, "data-place") {
		t.Error("the page has a number or a place")
	}
	me := b.own(http.MethodGet, "me")
	if me.field("state") != "lottery" || me.field("number") != "" || me.field("place") != "" || me.field("ahead") != "" || me.field("invited") != "true" {
		t.Errorf("before the opening me is %s", me.body)
	}
	status := b.own(http.MethodGet, "status")
	if status.field("invitations") != "5" || status.field("entered") != "0" {
		t.Errorf("status is %s, want 5 invitations and nobody entered", status.body)
	}
	b.buy("").code(t, "buy before the opening", http.StatusSeeOther)

	b.until("called")
	me = b.own(http.MethodGet, "me")
	if me.field("number") != "" || me.field("place") != "" || me.field("ahead") != "0" {
		t.Errorf("after the opening me is %s", me.body)
	}
	if got := titleOf(b.own(http.MethodGet, "line").body); got != pageTitles(t)[static.Turn] {
		t.Errorf("the page is titled %q", got)
	}
	b.html = false
	s.until("a unit", func() bool { return b.buy("").StatusCode == http.StatusCreated })
	b.own(http.MethodGet, "pass").code(t, "pass by GET", http.StatusMethodNotAllowed)
	b.get(link(t, 4, time.Time{})).code(t, "the link once more", http.StatusSeeOther).
		noCookie(t, "the link once more").head(t, "the link once more", "Location", "/.waitroom/golden-toy/line")
}

// TestInvitedBeforeTheDoors: who opens the link days before has come in.
func TestInvitedBeforeTheDoors(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: invites, doors: time.Hour, opens: 2 * time.Hour, closes: 3 * time.Hour})
	b := s.person().invited(0)
	if got := titleOf(b.own(http.MethodGet, "line").code(t, "line", http.StatusOK).body); got != pageTitles(t)[static.Invited] {
		t.Errorf("the page is titled %q", got)
	}
	if got := b.own(http.MethodGet, "status").field("invitations"); got != "" {
		t.Errorf("before the doors the status shows %s invitations", got)
	}
}

// TestInvitationOnTwoDevices: it is one turn, one pass, one account, one unit.
func TestInvitationOnTwoDevices(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: invites})
	phone, desk := s.browser().invited(2), s.browser().invited(2)
	for _, b := range []*browser{phone, desk} {
		s.until("pass", func() bool { return b.own(http.MethodPost, "pass").StatusCode == http.StatusOK })
	}
	if s.counted("waitroom_passes_total") != 1 || s.counted("waitroom_invited_total") != 2 || s.counted("waitroom_entries_total") != 0 {
		t.Errorf("%v passes for %v openings and %v entries, want 1, 2 and 0", s.counted("waitroom_passes_total"),
			s.counted("waitroom_invited_total"), s.counted("waitroom_entries_total"))
	}
	got := phone.buy("").want(t, "on the phone", http.StatusCreated, "reserved").field("reservation")
	if same := desk.buy("").want(t, "at the desk", http.StatusCreated, "reserved").field("reservation"); same != got {
		t.Errorf("reservations %s and %s, want one", got, same)
	}
	desk.buy("", "Idempotency-Key", "another").want(t, "with a key of its own", http.StatusConflict, "already_bought")
	if s.left() != 9 {
		t.Errorf("%d units left, want 9", s.left())
	}
}

// TestInvitationIsNotUsedUp: by who does not open it.
func TestInvitationIsNotUsedUp(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: invites})
	b, path := s.person(), link(t, 1, time.Time{})
	b.do(http.MethodHead, path, "").code(t, "HEAD", http.StatusSeeOther).noCookie(t, "HEAD")
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Moz"} {
		b.get(path, name, "prefetch").code(t, name, http.StatusTooManyRequests).noCookie(t, name)
	}
	b.do(http.MethodPost, path, "").code(t, "POST", http.StatusMethodNotAllowed).noCookie(t, "POST")
	s.browser().get(path).code(t, "a scanner", http.StatusSeeOther)
	b.invited(1).until("called")
	if s.counted("waitroom_passes_total") != 0 {
		t.Error("a pass was given")
	}
}

func TestInvitationRefused(t *testing.T) {
	t.Parallel()
	open := play(t, plot{sale: invites})
	silent := play(t, plot{})
	over := play(t, plot{sale: invites, doors: -3 * time.Hour, opens: -2 * time.Hour, closes: -time.Hour})
	titles := pageTitles(t)
	good := link(t, 1, time.Time{})
	other := func(secret, sale string) string {
		return "/.waitroom/golden-toy/invite?i=" + url.QueryEscape(ring(t, secret).SignInvitation(queueing.Invitation{Sale: sale, Number: 1}))
	}
	for _, test := range []struct {
		name  string
		stage *stage
		path  string
		code  int
		title static.Page
	}{
		{"none", open, "/.waitroom/golden-toy/invite", http.StatusForbidden, static.InvitationUnknown},
		{"cut off", open, good[:len(good)-1], http.StatusForbidden, static.InvitationUnknown},
		{"altered", open, good[:len(good)-2] + "__", http.StatusForbidden, static.InvitationUnknown},
		{"not ours", open, other(secretTwo, "golden-toy"), http.StatusForbidden, static.InvitationUnknown},
		{"another sale's", open, other(secretOne, "silver-toy"), http.StatusForbidden, static.InvitationUnknown},
		{"another run's", open, other(secretOne, "golden-toy@2026-12-03T17:00Z"), http.StatusForbidden, static.InvitationUnknown},
		{"beyond those there are", open, link(t, 5, time.Time{}), http.StatusForbidden, static.InvitationUnknown},
		{"expired", open, link(t, 1, time.Now().Add(-time.Minute)), http.StatusGone, static.InvitationExpired},
		{"after closing", over, good, http.StatusGone, static.Ended},
		{"where nobody is invited", silent, good, http.StatusNotFound, static.NotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := test.stage.person()
			r := b.get(test.path).code(t, "link", test.code).noCookie(t, "link").head(t, "link", "Cache-Control", "no-store")
			if got := titleOf(r.body); got != titles[test.title] {
				t.Errorf("the page is titled %q, want %q", got, titles[test.title])
			}
		})
	}
	t.Cleanup(func() {
		if strings.Contains(open.log.text(), strings.TrimPrefix(good, "/.waitroom/golden-toy/invite?")[:8]) {
			t.Error("a link is in the log")
		}
	})
}

// TestInvitationAndATicket: the invited ticket takes the place of another, but not
// of one that led to a pass or to a unit.
func TestInvitationAndATicket(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: invites})
	b := s.browser()
	b.join()
	b.invited(0)
	if me := b.own(http.MethodGet, "me"); me.field("invited") != "true" || me.field("number") != "" {
		t.Errorf("me is %s, want an invited one", me.body)
	}
	b.own(http.MethodPost, "ticket").code(t, "joining with it", http.StatusOK).noCookie(t, "joining with it")
	b.invited(1) // another invitation

	passed := s.browser().admitted()
	passed.get(link(t, 3, time.Time{})).code(t, "with a pass", http.StatusSeeOther).noCookie(t, "with a pass")

	winner := s.browser().admitted()
	winner.buy("").want(t, "buy", http.StatusCreated, "reserved")
	winner.plant(passCookie, "") // has run out
	winner.get(link(t, 3, time.Time{})).code(t, "with a unit", http.StatusSeeOther).noCookie(t, "with a unit")
	if got := winner.own(http.MethodGet, "order").field("status"); got == "" {
		t.Error("the order is out of sight")
	}
}

// TestInvitationAsksFirst: a page elsewhere that opens somebody's invitation cannot have
// it take the place of the ticket that a shopper has, unless they say so.
func TestInvitationAsksFirst(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: invites, config: `cors: {origins: ["https://app.example.com"]}`, doors: -time.Minute, opens: time.Hour, closes: 2 * time.Hour})
	b := s.person()
	b.own(http.MethodGet, "line").code(t, "in the draw", http.StatusSeeOther)
	was, path := b.cookie(ticketCookie), link(t, 2, time.Time{})
	for _, site := range []string{"cross-site", "same-site"} {
		r := b.get(path, "Sec-Fetch-Site", site).code(t, site, http.StatusOK).noCookie(t, site).head(t, site, "Cache-Control", "no-store")
		if titleOf(r.body) != pageTitles(t)[static.Invited] || !strings.Contains(r.body, `href="`+html.EscapeString(path)+`"`) {
			t.Errorf("%s: the page %q does not lead to the invitation", site, titleOf(r.body))
		}
	}
	if b.cookie(ticketCookie) != was {
		t.Fatal("the ticket was replaced")
	}
	r := b.get(path, "Sec-Fetch-Site", "same-origin").code(t, "said yes", http.StatusSeeOther)
	if setCookie(r, ticketCookie) == "" {
		t.Error("who says yes is not invited")
	}
	b.get(path, "Sec-Fetch-Site", "cross-site").code(t, "once more", http.StatusSeeOther).noCookie(t, "once more")
	app := s.browser()
	app.join()
	script := []string{"Accept", "application/json", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Site", "same-site", "Origin"}
	app.get(path, append(script, blog)...).want(t, "a script elsewhere", http.StatusOK, "ask").noCookie(t, "a script elsewhere")
	app.get(path, append(script, "https://app.example.com")...).code(t, "a listed script", http.StatusSeeOther)
	fresh := s.person().get(path, "Sec-Fetch-Site", "cross-site").code(t, "without a ticket, from a message", http.StatusSeeOther)
	if setCookie(fresh, ticketCookie) == "" {
		t.Error("who has no ticket is asked")
	}
	typed := s.person()
	typed.own(http.MethodGet, "line")
	typed.get(path, "Sec-Fetch-Site", "none").code(t, "from a mail program", http.StatusSeeOther).head(t, "from a mail program", "Location", "/.waitroom/golden-toy/line?joined")
}

// TestInvitedTicketIsTheSales: it outlives a line that is forgotten, is worth
// nothing once its number is none of the sale's, and an entry's ticket cannot
// pass for one.
func TestInvitedTicketIsTheSales(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: invites})
	k := ring(t, secretOne)
	line, err := queueing.NewLine(s.rdb, &s.cfg.Sales[0]).Tick(context.Background(), false, queueing.Stock{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		ticket queueing.Ticket
		want   string
	}{
		{"invited", queueing.Ticket{Sale: "golden-toy", Number: queueing.Number{Value: 4, Invited: true}}, "called"},
		{"withdrawn", queueing.Ticket{Sale: "golden-toy", Number: queueing.Number{Value: 5, Invited: true}}, "none"},
		{"bound to a line", queueing.Ticket{Sale: line.Line, Number: queueing.Number{Value: 4, Invited: true}}, "none"},
		{"an entry's, bound to the sale", queueing.Ticket{Sale: "golden-toy", Number: queueing.Number{Value: 4}}, "none"},
	} {
		b := s.browser()
		b.plant(ticketCookie, k.SignTicket(test.ticket))
		if me := b.own(http.MethodGet, "me"); me.field("state") != test.want {
			t.Errorf("%s: me is %s, want %s", test.name, me.body, test.want)
		}
	}
}

// TestInvitationsAreLimited: as joins are.
func TestInvitationsAreLimited(t *testing.T) {
	t.Parallel()
	s := play(t, plot{sale: invites, config: "limits: {address: {join: 1/min}}"})
	s.browser().invited(0)
	s.browser().get(link(t, 1, time.Time{})).code(t, "the second", http.StatusTooManyRequests).noCookie(t, "the second")
}

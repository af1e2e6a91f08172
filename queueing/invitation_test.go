package queueing_test

import (
	"encoding/base64"
	"errors"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

var invitation = queueing.Invitation{Sale: "golden-toy", Number: 42, Expires: issued.Add(time.Hour)}

// What was signed is read back, by number and expiry, and gives the same ID each
// time; what its ticket and pass say comes back, too.
func TestInvitationGivesBackWhatWasSigned(t *testing.T) {
	t.Parallel()
	k := keyring(t, newSecret, oldSecret)
	rapid.Check(t, func(t *rapid.T) {
		want := queueing.Invitation{
			Sale:   rapid.StringMatching(`[a-z0-9-]{1,48}(@[0-9TZ:-]{1,20})?`).Draw(t, "sale"),
			Number: rapid.Uint64().Draw(t, "number"),
		}
		if rapid.Bool().Draw(t, "expires") {
			want.Expires = time.UnixMilli(rapid.Int64Range(issued.UnixMilli()+1, 1<<50).Draw(t, "ms"))
		}
		got, err := k.Invitation(want.Sale, k.SignInvitation(want), issued)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := k.Invitation(want.Sale, k.SignInvitation(want), issued)
		if got.ID == [8]byte{} || got != again {
			t.Errorf("IDs %x and %x", got.ID, again.ID)
		}
		want.ID = got.ID
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		ticket := got.Ticket(issued)
		if back, err := k.Ticket(want.Sale, k.SignTicket(ticket)); err != nil || back != ticket || !back.Number.Invited {
			t.Errorf("its ticket is %+v, %v, want %+v", back, err, ticket)
		}
		pass := queueing.Pass{Sale: want.Sale, Number: ticket.Number, ID: got.ID, Admitted: issued, Expires: issued.Add(time.Minute)}
		if back, err := k.Pass(want.Sale, k.SignPass(pass), issued); err != nil || back != pass {
			t.Errorf("its pass is %+v, %v, want %+v", back, err, pass)
		}
	})
}

// An account is one invitation's alone, and only who has the secret knows it.
func TestInvitationsHaveAccountsOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range []*queueing.Keyring{keyring(t, newSecret), keyring(t, oldSecret)} {
		for _, sale := range []string{"golden-toy", "golden-toy@2026-12-03T17:00Z", "golden-toyx"} {
			for number := range uint64(100) {
				i, err := k.Invitation(sale, k.SignInvitation(queueing.Invitation{Sale: sale, Number: number}), issued)
				if account := i.Ticket(issued).Account(); err != nil || seen[account] {
					t.Fatalf("%s %d: account %s of another, or %v", sale, number, account, err)
				} else {
					seen[account] = true
				}
			}
		}
	}
}

// A link outlives a rotation of the secrets with the ID that it had.
func TestInvitationOutlivesRotation(t *testing.T) {
	t.Parallel()
	old, both := keyring(t, oldSecret), keyring(t, newSecret, oldSecret)
	link := old.SignInvitation(invitation)
	before, err := old.Invitation("golden-toy", link, issued)
	after, err2 := both.Invitation("golden-toy", link, issued)
	if err != nil || err2 != nil || before != after {
		t.Errorf("%+v, %v before and %+v, %v after", before, err, after, err2)
	}
	if _, err := keyring(t, newSecret).Invitation("golden-toy", both.SignInvitation(invitation), issued); err != nil {
		t.Errorf("the first secret does not sign: %v", err)
	}
	if _, err := keyring(t, newSecret).Invitation("golden-toy", link, issued); !errors.Is(err, queueing.ErrForged) {
		t.Errorf("a dropped secret's link: %v", err)
	}
}

func TestInvitationRefuses(t *testing.T) {
	t.Parallel()
	k := keyring(t, newSecret)
	link := k.SignInvitation(invitation)
	read := func(sale, value string, now time.Time) error {
		_, err := k.Invitation(sale, value, now)
		return err
	}
	if err := read("golden-toy", link, invitation.Expires.Add(-time.Millisecond)); err != nil {
		t.Errorf("until its end: %v", err)
	}
	if err := read("golden-toy", link, invitation.Expires); !errors.Is(err, queueing.ErrExpired) {
		t.Errorf("at its end: %v, want ErrExpired", err)
	}
	bad := map[string]string{
		"empty": "", "a ticket": k.SignTicket(ticket), "a pass": k.SignPass(pass),
		"padded": link + "=", "longer": link + "A", "line break": link[:5] + "\n" + link[5:], "blank": link + " ",
	}
	for i := range len(link) {
		bad["the first part of it"] = link[:i]
		for _, c := range "AQgw_" {
			if altered := link[:i] + string(c) + link[i+1:]; altered != link {
				bad["altered to "+altered] = altered
			}
		}
		if err := read("golden-toy", link[:i], issued); !errors.Is(err, queueing.ErrForged) {
			t.Errorf("its first %d characters: %v, want ErrForged", i, err)
		}
	}
	for name, value := range bad {
		// Not ErrExpired either: what is not ours has no end.
		for _, now := range []time.Time{issued, invitation.Expires} {
			if err := read("golden-toy", value, now); !errors.Is(err, queueing.ErrForged) {
				t.Errorf("%s: %v, want ErrForged", name, err)
			}
		}
	}
	for _, sale := range []string{"", "golden-to", "golden-toy@2026-12-03T17:00Z", "silver-toy"} {
		if err := read(sale, link, issued); !errors.Is(err, queueing.ErrForged) {
			t.Errorf("in sale %q: %v, want ErrForged", sale, err)
		}
	}
	if _, err := k.Ticket("golden-toy", link); !errors.Is(err, queueing.ErrForged) {
		t.Errorf("a link as a ticket: %v, want ErrForged", err)
	}
}

// Cookies that were given before there were invitations are good as they are, and
// are still given in the same form.
func TestWireOfTicketsWithoutInvitation(t *testing.T) {
	t.Parallel()
	k := keyring(t, newSecret)
	const (
		signedTicket = "AcDEBwECAwQFBgf_-9DEz6I0nJd9e_DEZhw4S2Z9kBQgeQ"
		signedPass   = "AcDEBwECAwQFBgf_-9DEz6I026XIz6I0cQ0XqTqd4LyI7mHYz2Kvjg"
	)
	if got := k.SignTicket(ticket); got != signedTicket {
		t.Errorf("ticket %s, want %s", got, signedTicket)
	}
	if got := k.SignPass(pass); got != signedPass {
		t.Errorf("pass %s, want %s", got, signedPass)
	}
	if got, err := k.Ticket("golden-toy", signedTicket); err != nil || got != ticket {
		t.Errorf("got %+v, %v, want %+v", got, err, ticket)
	}
	if got, err := k.Pass("golden-toy", signedPass, issued); err != nil || got != pass {
		t.Errorf("got %+v, %v, want %+v", got, err, pass)
	}
}

func FuzzInvitation(f *testing.F) {
	k := keyring(f, newSecret)
	endless := invitation
	endless.Expires = time.Time{}
	f.Add("golden-toy", k.SignInvitation(invitation))
	f.Add("golden-toy", k.SignInvitation(endless))
	f.Add("golden-toy", k.SignTicket(ticket))
	f.Add("", base64.RawURLEncoding.EncodeToString(make([]byte, 20)))
	f.Fuzz(func(t *testing.T, sale, value string) {
		got, err := k.Invitation(sale, value, issued)
		if err == nil && k.SignInvitation(got) != value {
			t.Errorf("accepted %q, which is not how %+v is written", value, got)
		}
	})
}

// An invitation's turn has come with the opening, whatever the head; one claim of
// it costs one token, and both kinds are apart from each other.
func TestInvitationClaims(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		sale := saleAt(s.now(), time.Second, 10, 2)
		a, b := queueing.NewLine(s.rdb, sale), queueing.NewLine(s.rdb, sale)
		enter(t, a, 100)
		if _, err := a.Claim(t.Context(), invited(0)); !errors.Is(err, queueing.ErrNotOpen) {
			t.Errorf("before the opening: %v, want ErrNotOpen", err)
		}
		if st := tick(t, a).Standing(queueing.Number{Invited: true}); st.State != queueing.StandingLottery || st.Drawn || st.Low != st.High || st.High <= 0 {
			t.Errorf("before the opening it stands %+v", st)
		}
		s.wait(1050 * time.Millisecond)
		tick(t, a)
		s.wait(450 * time.Millisecond) // two tokens at the most
		head := tick(t, a).Head
		first, err := a.Claim(t.Context(), invited(99))
		if err != nil || first.Again || head > 99 {
			t.Fatalf("with the head at %d: %+v, %v", head, first, err)
		}
		again, err := b.Claim(t.Context(), invited(99))
		if err != nil || !again.Again || !again.Expires.Equal(first.Expires) {
			t.Errorf("on the other edge: %+v, %v, want again %+v", again, err, first)
		}
		if _, err := a.Claim(t.Context(), at(99)); !errors.Is(err, queueing.ErrNotCalled) {
			t.Errorf("the place of the same number: %v, want ErrNotCalled", err)
		}
		if got, err := a.Claim(t.Context(), at(0)); err != nil || got.Again {
			t.Errorf("a place that was called: %+v, %v", got, err)
		}
		if got := tick(t, a).Passes; got != 2 {
			t.Errorf("%d passes, want 2", got)
		}
		if _, err := a.Claim(t.Context(), invited(math.MaxUint32+1)); !errors.Is(err, queueing.ErrNotCalled) {
			t.Errorf("beyond a bitmap: %v, want ErrNotCalled", err)
		}
		if err := a.Pause(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Claim(t.Context(), invited(99)); !errors.Is(err, queueing.ErrPaused) {
			t.Errorf("while paused: %v, want ErrPaused", err)
		}
		if st := tick(t, a).Standing(queueing.Number{Invited: true}); st.State != queueing.StandingPaused {
			t.Errorf("while paused it stands %+v", st)
		}
	})
}

// Invitations forget their passes as places do, in the same ten minutes.
func TestInvitedPassGenerations(t *testing.T) {
	t.Parallel()
	v := newVirtual(t)
	v.at(v.now.Truncate(10 * time.Minute).Add(9 * time.Minute))
	l := queueing.NewLine(v.rdb, saleAt(v.now, 0, 1, 1))
	tick(t, l)
	for i, c := range []struct {
		after time.Duration
		again bool
	}{{5 * time.Second, false}, {30 * time.Second, true}, {10 * time.Minute, true}, {10 * time.Minute, false}, {time.Hour, false}} {
		v.advance(c.after)
		tick(t, l)
		if got, err := l.Claim(t.Context(), invited(7)); err != nil || got.Again != c.again {
			t.Fatalf("claim %d, %v later: %+v, %v, want again %v", i, c.after, got, err, c.again)
		}
	}
}

// The bound holds for places and invitations together. The line waits for a crowd
// of invited who come with the opening about as long as the rate needs for them, and
// no token is lost.
func TestInvitedShareTheBucket(t *testing.T) {
	t.Parallel()
	const rate, burst, guests = 20, 4, 100
	const step = 50 * time.Millisecond
	c := newCrowd(t, func(now time.Time) *configs.Sale { return saleAt(now, 0, rate, burst) }, 100_000, 3, 0.4)
	due, came := map[uint64]time.Time{}, 0
	for guest := range uint64(guests) {
		due[guest] = c.now.Add(time.Duration(c.rng.Int64N(int64(time.Second))))
	}
	run := func(d time.Duration) {
		for end := c.now.Add(d); c.now.Before(end); {
			c.run(step, step)
			for guest := range uint64(guests) {
				if at, waits := due[guest]; !waits || at.After(c.now) {
					continue
				}
				got, err := c.lines[guest%3].Claim(t.Context(), invited(guest))
				if wait, ok := errors.AsType[*queueing.WaitError](err); ok {
					due[guest] = c.now.Add(wait.Retry + time.Duration(c.rng.Int64N(int64(200*time.Millisecond))))
					continue
				}
				if err != nil || got.Again {
					t.Fatalf("invitation %d: %+v, %v", guest, got, err)
				}
				delete(due, guest)
				c.passes = append(c.passes, c.now)
				came++
			}
		}
	}
	run(2 * guests / rate * time.Second)
	if came < guests*9/10 {
		t.Errorf("%d of %d invited came in after twice what the rate needs for them", came, guests)
	}
	run(20 * time.Second)
	if came != guests {
		t.Errorf("%d of %d invited came in", came, guests)
	}
	c.checkBound(0, rate, burst)
	line, seconds := len(c.passes)-came, 2*guests/rate+20
	t.Logf("in %d s %d passes of the line and %d of the invited", seconds, line, came)
	if got := float64(line+came) / float64(rate*seconds); got < 0.98 {
		t.Errorf("%.3f of the rate", got)
	}
}

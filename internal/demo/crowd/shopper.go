package crowd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// What shoppers do without being asked how often.
const (
	logsIn      = 0.05 // logs in first; the others still are from another day
	usesForm    = 0.5  // presses a form's button; the others' page has a script
	joinsOnPage = 0.2  // of the scripts that take a ticket before any button is pressed
	readsStatus = 0.2  // of the polls that also look at the shared document
	wandersOff  = 0.03 // of the waits that turn into leaving and coming back
	presses     = 3    // how often a request is tried
	keepOpen    = 3 * time.Second
)

// shopper is one person with one browser. A visit is a walk from step to step.
type shopper struct {
	*crowd
	visit
	id      int
	rng     *rand.Rand
	browser browser
	cookies jar
	form    bool
	double  int // how they press twice, if they do
	pays    habit
	tag     string        // of the shared document last seen
	sale    string        // its state
	told    time.Duration // how long to wait between looks, as `me` said last
	mine    answer        // the reservation, once there is one
	paying  bool          // has paid, and waits for the order to say so
}

// step does one thing and returns the next one to do; nil is the end.
type step func(*shopper, context.Context) step

// habit is what somebody does with a unit in the basket.
type habit int

const (
	paysAtOnce habit = iota
	dithers
	walksAway
)

func (c *crowd) newShopper(i int, rng *rand.Rand) *shopper {
	s := &shopper{crowd: c, id: i, rng: rng, browser: c.newBrowser(i), form: rng.Float64() < usesForm}
	if rng.Float64() < c.Double {
		s.double = 1 + rng.IntN(waysToDouble)
	}
	switch p := rng.Float64(); {
	case p < c.Pay:
		s.pays = paysAtOnce
	case p < c.Pay+c.Walk:
		s.pays = walksAway
	default:
		s.pays = dithers
	}
	s.cookies.set("session", fmt.Sprintf("returning-%x-%d", c.Seed, i), false)
	return s
}

// live is one visit. When ctx ends it, the last word counts: a unit is held,
// a no that might have been taken back stays a no.
func (s *shopper) live(ctx context.Context) {
	for next := step((*shopper).browse); next != nil && ctx.Err() == nil; {
		next = next(s, ctx)
	}
	if s.end == unanswered {
		switch {
		case len(s.living) > 0:
			s.end = held
		case s.refused:
			s.end = toldNo
		}
	}
}

// browse looks at the product.
func (s *shopper) browse(ctx context.Context) step {
	if s.rng.Float64() < logsIn {
		form := fmt.Sprintf("name=shopper-%x-%d&password=x", s.Seed, s.id)
		r, err := s.ask(ctx, request{method: http.MethodPost, path: "/login", kind: formType, body: form})
		if err == nil && r.status != http.StatusSeeOther {
			s.unexpected("POST /login", r)
		}
	}
	r, err := s.ask(ctx, request{method: http.MethodGet, path: s.ProductPage})
	switch {
	case err != nil:
		return s.later((*shopper).browse, 2*time.Second)
	case r.status == http.StatusOK:
		return (*shopper).press
	case r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable:
	default:
		s.unexpected("GET product page", r)
	}
	return s.later((*shopper).browse, r.after())
}

// press is the button for the first time, without a pass, or what a page's
// script does in its place.
func (s *shopper) press(ctx context.Context) step {
	if !s.form && s.rng.Float64() < joinsOnPage {
		return s.join(ctx)
	}
	r, err := s.ask(ctx, s.buttonPress(""))
	if err != nil {
		return s.later((*shopper).press, 2*time.Second)
	}
	return s.pressed(ctx, r)
}

func (s *shopper) join(ctx context.Context) step {
	r, err := s.ask(ctx, request{method: http.MethodPost, path: s.path("ticket"), kind: jsonType})
	if err != nil {
		return s.later((*shopper).press, 2*time.Second)
	}
	switch r.status {
	case http.StatusCreated, http.StatusOK:
		return s.stand(r)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
	default:
		if r.answer().State != "" {
			return s.stand(r) // too early, or too late
		}
		s.unexpected("POST ticket", r)
	}
	return s.later((*shopper).press, r.after())
}

// poll asks where this shopper stands, now and then after a look at the
// document that everybody shares.
func (s *shopper) poll(ctx context.Context) step {
	if s.rng.Float64() < readsStatus {
		s.readStatus(ctx)
	}
	r, err := s.ask(ctx, request{method: http.MethodGet, path: s.path("me"), kind: jsonType})
	switch {
	case err != nil:
		return s.later((*shopper).poll, 2*time.Second)
	case r.status == http.StatusOK:
		return s.stand(r)
	case r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable:
	default:
		s.unexpected("GET me", r)
	}
	return s.later((*shopper).poll, r.after())
}

// stand is what follows from the answer of `me`.
func (s *shopper) stand(r reply) step {
	switch state := r.answer().State; state {
	case "none":
		return s.later((*shopper).press, r.after())
	case "lottery", "waiting", "paused":
		return s.later((*shopper).poll, r.after())
	case "called":
		return (*shopper).claim
	case "admitted":
		return (*shopper).buy
	case "held":
		return (*shopper).order
	case "sold_out":
		s.hearNo(r)
		s.told = r.after()
		return (*shopper).hope
	case "hopeless", "ended":
		return s.leave(r)
	default:
		s.problem("me: state %q", state)
		return s.later((*shopper).poll, r.after())
	}
}

// claim asks for the pass.
func (s *shopper) claim(ctx context.Context) step {
	r, err := s.ask(ctx, request{method: http.MethodPost, path: s.path("pass"), kind: jsonType})
	if err != nil {
		return s.later((*shopper).poll, 2*time.Second)
	}
	a := r.answer()
	switch {
	case r.status == http.StatusOK:
		s.admit(a.AdmittedAt)
		return (*shopper).buy
	case r.status == http.StatusTooManyRequests && (a.State == "called" || a.State == ""),
		r.status == http.StatusServiceUnavailable:
		return s.later((*shopper).claim, r.after())
	case a.State != "":
		return s.stand(r)
	}
	s.unexpected("POST pass", r)
	return s.later((*shopper).poll, r.after())
}

// hope waits for a unit to come back after a "sold out", at the price of the
// shared document only.
func (s *shopper) hope(ctx context.Context) step {
	if s.readStatus(ctx) != nil {
		return s.later((*shopper).hope, 2*time.Second)
	}
	wait := max(s.told, time.Second)
	switch s.sale {
	case "sold_out", "ended":
		s.end = toldNo
		return nil
	case "all_held", "":
		return s.later((*shopper).hope, wait)
	}
	return s.later((*shopper).poll, wait)
}

// readStatus reads the shared document, or learns that it is still the same.
func (s *shopper) readStatus(ctx context.Context) error {
	r, err := s.ask(ctx, request{method: http.MethodGet, path: s.path("status"), kind: jsonType, tag: s.tag})
	if err != nil {
		return err
	}
	switch r.status {
	case http.StatusOK:
		s.tag, s.sale = r.header.Get("ETag"), r.answer().State
	case http.StatusNotModified, http.StatusTooManyRequests, http.StatusServiceUnavailable:
	default:
		s.unexpected("GET status", r)
	}
	return nil
}

// admit notes a pass, once for each stamp.
func (s *shopper) admit(at int64) {
	if !s.got {
		s.got = true
		s.books.admitted.Add(1)
	}
	if at != 0 && (len(s.admitted) == 0 || s.admitted[len(s.admitted)-1] != at) {
		s.admitted = append(s.admitted, at)
	}
}

// hearNo notes the first no, which is the one that was waited for.
func (s *shopper) hearNo(r reply) {
	if !s.refused {
		s.refused, s.no = true, r.took
	}
}

// leave goes home with a no.
func (s *shopper) leave(r reply) step {
	s.hearNo(r)
	s.end = toldNo
	return nil
}

// later is next after a wait, never earlier than told and up to a tenth
// later. Some close the page meanwhile and stay away for longer.
func (s *shopper) later(next step, wait time.Duration) step {
	return func(s *shopper, ctx context.Context) step {
		wait += time.Duration(s.rng.Float64() * float64(wait) / 10)
		away := s.rng.Float64() < wandersOff
		if away {
			wait *= time.Duration(2 + s.rng.IntN(3))
		}
		if away || wait > keepOpen || s.slots.short() {
			s.browser.close()
		}
		if !sleep(ctx, wait) {
			return nil
		}
		return next
	}
}

// path is an address of the sale under the reserved prefix.
func (s *shopper) path(name string) string { return "/.waitroom/" + s.Sale + "/" + name }

// unexpected notes an answer that the contract does not know.
func (s *shopper) unexpected(what string, r reply) { s.problem("%s: %d", what, r.status) }

func (s *shopper) problem(format string, args ...any) { s.books.problem(format, args...) }

// ask sends a request with this shopper's cookies and keeps those that come
// back. Broken connections and 5xx other than 503 are tried again; after the
// last try they are a problem.
func (s *shopper) ask(ctx context.Context, q request) (reply, error) {
	return s.askOn(ctx, &s.browser, q)
}

func (s *shopper) askOn(ctx context.Context, b *browser, q request) (reply, error) {
	q.cookies = s.cookies.String()
	r, err := persist(ctx, b, q, s.rng.Float64())
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case err != nil:
		name, _, _ := strings.Cut(q.path, "?")
		s.problem("%s %s: %v", q.method, name, cause(err))
		return r, err
	}
	s.keep(r)
	return r, nil
}

// keep takes the cookies of an answer; the ticket is the way in.
func (s *shopper) keep(r reply) {
	s.cookies.keep(r)
	if !s.entered && s.cookies.has("__Host-wr-"+s.Sale) {
		s.entered = true
		s.books.entered.Add(1)
	}
}

package crowd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// What shoppers do without being asked how often.
const (
	logsIn      = 0.05             // logs in first; the others still are from another day
	usesForm    = 0.5              // presses a form's button; the others' page has a script
	joinsOnPage = 0.2              // of the scripts that take a ticket before any button is pressed
	readsStatus = 0.2              // of the polls that also look at the shared document
	wandersOff  = 0.03             // of the waits that turn into leaving and coming back
	maxAway     = 5                // seconds for which they stay away longer than told
	presses     = 3                // how often a request is tried
	keepOpen    = 60 * time.Second // browsers keep an idle connection about so long
	keepShort   = time.Second      // and while connections are scarce
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

// admit notes a pass, once for each stamp.
func (s *shopper) admit(at int64) {
	if !s.got {
		s.got = true
		s.visits.admitted.Add(1)
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
			wait += time.Duration(1+s.rng.IntN(maxAway)) * time.Second
		}
		if away || wait > keepOpen || wait > keepShort && s.slots.short() {
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

func (s *shopper) problem(format string, args ...any) { s.visits.problem(format, args...) }

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
		s.visits.entered.Add(1)
	}
}

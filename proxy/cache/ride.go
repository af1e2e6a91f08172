package cache

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"time"
)

const (
	// slowAfter a fetch counts as one that fails: what may be shown then is shown.
	slowAfter = 2 * time.Second
	// failedFor after a fetch that failed the next one is put off where something
	// can be shown instead.
	failedFor = time.Second
	// waitMost is how long somebody waits for what another one fetches. Where nobody
	// knows whether that can be kept, they do something about it after waitUnsure:
	// one of them asks in the place of who asked first, or, where the last answer
	// could not be kept, each of them asks.
	waitMost   = 12 * time.Second
	waitUnsure = 3 * time.Second
)

// errAway is for who waited for what another one fetched: the origin had no answer
// for that one.
var errAway = errors.New("origin had no answer for who asked first")

// errSlow says that the origin stands still. It is a timeout.
var errSlow error = slow{}

type slow struct{}

func (slow) Error() string   { return "origin is slow to answer who asked first" }
func (slow) Timeout() bool   { return true }
func (slow) Temporary() bool { return true }

// fetch leads or joins a flight. Without answer and error what was waited for is
// not for this request.
func (t *transport) fetch(r *http.Request, e errand, n note) (*http.Response, error) {
	until := time.Now().Add(waitMost)
	f, leads := t.board(r, e, nil)
	if f == nil {
		return nil, nil
	}
	landed, err := f.wait(r.Context(), f.patience(e.had, leads))
	if !landed && err == nil && !leads && (e.sure || n.isUnknown(e.q)) && !isShownAway(e.had) {
		was := f
		if e.bare = e.sure; e.bare {
			t.notes.write(e.q.key, func(n *note) { n.bareUntil = time.Now().Add(bareFor) })
		}
		f, leads = t.board(r, e, was)
		was.leave(false)
		if f == nil {
			return nil, nil
		}
		most := time.Until(until)
		if leads && !e.sure {
			most = math.MaxInt64
		}
		landed, err = f.wait(r.Context(), most)
	}
	switch {
	case err == nil && landed && leads:
		return t.lead(r, e, f)
	case err == nil && landed:
		return t.ride(r, e, f, n)
	}
	f.leave(leads)
	switch {
	case isShownAway(e.had) && r.Context().Err() == nil:
		return t.give(r, e.q.key, e.had, Stale)
	case err != nil:
		return nil, err
	case e.sure || n.isUnknown(e.q):
		return nil, errSlow
	default:
		return t.forward(r, e.q, e.fwd)
	}
}

// isShownAway reports whether there is an answer to show while none is to be had.
func isShownAway(a *answer) bool { return a != nil && a.whileAway(time.Now()) }

// isShown reports whether there is an answer to show while a flight has failed.
func (f *flight) isShown(a *answer) bool {
	return isShownAway(a) || a != nil && errors.Is(f.err, ErrCrowded) && a.whileCrowded(time.Now())
}

// patience is how long somebody waits for a flight: who has something else to show
// a moment only, and who did not begin it not for ever.
func (f *flight) patience(had *answer, leads bool) time.Duration {
	switch {
	case isShownAway(had):
		return slowAfter - time.Since(f.begun)
	case leads:
		return math.MaxInt64
	default:
		return waitUnsure - time.Since(f.begun)
	}
}

// wait waits until a flight has landed, if it does in time.
func (f *flight) wait(ctx context.Context, most time.Duration) (landed bool, err error) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-f.landed:
		return true, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case <-timer.C:
		return false, nil
	}
}

// lead gives what a flight brought to who began it. One that was asked for nobody in
// particular may have brought what is not for them.
func (t *transport) lead(r *http.Request, e errand, f *flight) (*http.Response, error) {
	if f.bare && f.what != failed && !f.isFor(r, e.q) {
		f.leave(true)
		return t.forward(r, e.q, e.fwd)
	}
	switch f.what {
	case renewed:
		f.leave(true)
		resp, _ := t.give(r, e.q.key, f.answer, Renewed)
		for name, values := range f.resp.Header {
			if name == "Set-Cookie" || t.isOwn(name) {
				resp.Header[name] = values
			}
		}
		return resp, nil
	case spooling:
		return t.growing(r, f, true)
	case failed:
		if f.isShown(f.had) {
			f.leave(true)
			return t.give(r, f.q.key, f.had, Stale)
		}
		if f.resp == nil {
			f.leave(true)
			return nil, f.err
		}
	}
	t.count(Forwarded)
	stop := f.endsWith(r.Context())
	tellForwarded(f.resp.Header, f.fwd, f.why)
	f.resp.Request = r
	f.resp.Body = newEnding(f.rest, func() { stop(); f.leave(true) })
	if r.Method == http.MethodHead {
		_ = f.resp.Body.Close()
		f.resp.Body = http.NoBody
	}
	return f.resp, nil
}

// isFor reports whether a flight brought something for a request that others may have,
// too.
func (f *flight) isFor(r *http.Request, q question) bool {
	return f.answer != nil && f.shared && f.answer.reach.covers(q) && selects(r.Header, f.answer.selectors)
}

// ride gives what a flight brought to who joined it, if it is for them.
func (t *transport) ride(r *http.Request, e errand, f *flight, n note) (*http.Response, error) {
	mine := f.isFor(r, e.q)
	still := f.still.Load()
	if f.what == spooling && mine && !still {
		return t.growing(r, f, false)
	}
	f.leave(false)
	switch {
	case still && isShownAway(e.had):
		return t.give(r, e.q.key, e.had, Stale)
	case still && mine:
		return nil, errSlow
	case f.what == renewed && mine:
		return t.give(r, e.q.key, f.answer, Joined)
	case errors.Is(f.err, errNobody): // ended as this one boarded
		return nil, nil
	case f.what == failed:
		return t.rideFailed(r, e, f, n)
	case f.what == alone, f.what == theirs && (e.q.holder || e.q.authorized):
		return t.forward(r, e.q, e.fwd)
	}
	return nil, nil
}

// rideFailed is for who waited for nothing: what may be shown then; another try, while
// it may have been the first one's fault, or nobody knows; the same, if it was nobody's
// in particular; or their own way.
func (t *transport) rideFailed(r *http.Request, e errand, f *flight, n note) (*http.Response, error) {
	unknown := n.isUnknown(e.q)
	switch {
	case f.isShown(e.had):
		return t.give(r, e.q.key, e.had, Stale)
	case errors.Is(f.err, ErrCrowded):
		return nil, f.err
	case f.sure && !f.bare:
		return nil, nil
	case f.err != nil && (f.sure || unknown):
		return nil, f.err
	case f.sure:
		return nil, errAway
	case unknown:
		return nil, nil
	default:
		return t.forward(r, e.q, e.fwd)
	}
}

// fetchBehind fetches what is stale while it is still shown, for nobody in
// particular.
func (t *transport) fetchBehind(r *http.Request, q question, a *answer) {
	name := flightName(q.key, a.selectors, r.Header)
	if t.flying(name) || time.Since(t.notes.of(q.key).failed) < failedFor {
		return
	}
	e := errand{name: name, q: q, fwd: "stale", had: a, vary: a.selectors, sure: true, bare: true}
	if f, leads := t.board(r, e, nil); f != nil {
		f.leave(leads)
	}
}

// isOwn reports whether a field is meant for the proxy alone.
func (c *Cache) isOwn(name string) bool { return c.own != "" && strings.HasPrefix(name, c.own) }

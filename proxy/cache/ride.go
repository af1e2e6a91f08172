package cache

import (
	"context"
	"errors"
	"io"
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
	// waitSure is how long somebody waits for what another one fetches, where that
	// can be kept; waitUnsure where nobody knows, before they ask themselves.
	waitSure   = 12 * time.Second
	waitUnsure = 3 * time.Second
)

// Errors of a request that waited for what another one fetched.
var (
	// ErrAway says that the storefront had no answer for the one who asked.
	ErrAway = errors.New("storefront had no answer for who asked first")
	// ErrSlow says that it stands still. It is a timeout.
	ErrSlow error = slow{}
)

type slow struct{}

func (slow) Error() string   { return "storefront is slow to answer who asked first" }
func (slow) Timeout() bool   { return true }
func (slow) Temporary() bool { return true }

// fetch leads or joins a flight. Without answer and error what was waited for is
// not for this request.
func (t *transport) fetch(r *http.Request, q question, a *answer, name string, sure bool) (*http.Response, error) {
	f, leads := t.board(name, q.key)
	if leads {
		if b, _ := t.kept(r, q); b != nil && b.fresh(time.Now()) { // brought between look and boarding
			f.end = func(error) {}
			f.land(again)
			return nil, nil
		}
		f.take(t.next, r, q, a, sure)
	}
	ok, err := f.wait(r.Context(), a, leads, sure)
	now := time.Now()
	switch {
	case err == nil && ok && leads:
		return t.lead(r, f, a)
	case err == nil && ok:
		return t.ride(r, q, f, a)
	case a != nil && a.whileAway(now) && r.Context().Err() == nil:
		f.leave(leads)
		return t.give(r, q.key, a, Stale)
	}
	f.leave(leads)
	if err == nil && !sure {
		return t.pass(r, q)
	}
	if err == nil {
		err = ErrSlow
	}
	return nil, err
}

// wait waits until a flight has landed. Who has something else to show waits for
// it a moment only, and who did not begin it not for ever; then it is not ok.
func (f *flight) wait(ctx context.Context, a *answer, leads, sure bool) (ok bool, err error) {
	most := waitUnsure - time.Since(f.begun)
	switch {
	case a != nil && a.whileAway(time.Now()):
		most = slowAfter - time.Since(f.begun)
	case leads:
		most = 1 << 62
	case sure:
		most = waitSure
	}
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

// lead gives what a flight brought to who began it.
func (t *transport) lead(r *http.Request, f *flight, a *answer) (*http.Response, error) {
	now := time.Now()
	switch f.what {
	case renewed:
		f.leave(true)
		t.count(Renewed)
		resp := f.answer.response(r, now)
		for name, values := range f.resp.Header {
			if name == "Set-Cookie" || strings.HasPrefix(name, t.own) && t.own != "" {
				resp.Header[name] = values
			}
		}
		return resp, nil
	case spooling:
		t.count(Miss)
		return t.growing(r, f, true)
	case failed:
		if a != nil && a.whileAway(now) {
			f.leave(true)
			return t.give(r, f.key, a, Stale)
		}
		if f.resp == nil {
			f.leave(true)
			return nil, f.err
		}
	}
	t.count(Pass)
	stop := f.endsWith(r.Context())
	f.resp.Request = r
	f.resp.Body = &leaving{f.rest, func() { stop(); f.leave(true) }}
	if r.Method == http.MethodHead {
		_ = f.resp.Body.Close()
		f.resp.Body = http.NoBody
	}
	return f.resp, nil
}

// leaving is a body whose reader has to say that it is done.
type leaving struct {
	io.ReadCloser
	leave func()
}

func (l *leaving) Close() error {
	err := l.ReadCloser.Close()
	if l.leave != nil {
		l.leave()
		l.leave = nil
	}
	return err
}

// ride gives what a flight brought to who joined it, if it is for them.
func (t *transport) ride(r *http.Request, q question, f *flight, a *answer) (*http.Response, error) {
	mine := f.answer != nil && f.shared && f.answer.reach.covers(q) && selects(r.Header, f.answer.selectors)
	switch {
	case f.what == renewed && mine:
		f.leave(false)
		return t.give(r, q.key, f.answer, Joined)
	case f.what == spooling && mine:
		t.count(Joined)
		return t.growing(r, f, false)
	}
	f.leave(false)
	now := time.Now()
	switch {
	case errors.Is(f.err, errNobody): // ended as this one boarded
		return nil, nil
	case f.what == failed && a != nil && a.whileAway(now):
		return t.give(r, q.key, a, Stale)
	case f.what == failed && f.sure && f.err != nil:
		return nil, f.err
	case f.what == failed && f.sure:
		return nil, ErrAway
	case f.what == failed, f.what == alone, f.what == theirs && (q.holder || q.authorized):
		return t.pass(r, q)
	}
	return nil, nil
}

// fetchBehind fetches what is stale while it is still shown, for nobody in
// particular.
func (t *transport) fetchBehind(r *http.Request, q question, a *answer) {
	name := flightName(q.key, a.selectors, r.Header)
	if t.flying(name) || time.Since(t.notes.of(q.key).failed) < failedFor {
		return
	}
	f, leads := t.board(name, q.key)
	if leads {
		behind := r.Clone(r.Context())
		for field := range behind.Header {
			if field == "Cookie" || field == "Authorization" || t.own != "" && strings.HasPrefix(field, t.own) {
				delete(behind.Header, field)
			}
		}
		f.take(t.next, behind, ask(behind, t.own), a, true)
	}
	f.leave(leads)
}

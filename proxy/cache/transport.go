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

// Transport answers from the cache, and asks next for what is not in it. Requests
// come to it as the storefront would see them.
func (c *Cache) Transport(next http.RoundTripper) http.RoundTripper { return &transport{c, next} }

type transport struct {
	*Cache
	next http.RoundTripper
}

// RoundTrip answers a request. The answer may be one that others get as well: its
// header is the caller's own, its body is to be closed as any. Beside the errors of
// the next transport there are ErrAway and ErrSlow.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.size() == 0 {
		return t.next.RoundTrip(r)
	}
	switch kindOf(r) {
	case passes:
		t.count(Pass)
		return t.next.RoundTrip(r)
	case changes:
		t.count(Pass)
		resp, err := t.next.RoundTrip(r)
		if err == nil {
			t.changed(r, resp, time.Now())
		}
		return resp, err
	default:
		return t.read(r, ask(r, t.own))
	}
}

// read answers a GET or HEAD. It tries again when what it waited for turned out
// not to be for it, and passes the request on in the end.
func (t *transport) read(r *http.Request, q question) (*http.Response, error) {
	for range 3 {
		now, n := time.Now(), t.notes.of(q.key)
		a, flight := t.kept(r, q)
		switch {
		case a != nil && a.fresh(now):
			return t.give(r, q.key, a, Hit)
		case a != nil && a.whileFetching(now):
			t.fetchBehind(r, q, a, flight)
			return t.give(r, q.key, a, Stale)
		case a != nil && a.whileAway(now) && now.Sub(n.failed) < failedFor:
			return t.give(r, q.key, a, Stale)
		case q.d.onlyIfCached:
			return notKeptHere(r), nil
		case t.isForOne(r, q, a, n, now):
			return t.pass(r, q)
		}
		sure := n.sure || a != nil && a.life.fresh > 0
		if a != nil && a.life.fresh == 0 {
			flight, sure = "", false // good only after asking, each time for itself
		}
		resp, err := t.fetch(r, q, a, flight, sure)
		if resp != nil || err != nil {
			return resp, err
		}
	}
	return t.pass(r, q)
}

// kept is the answer that a request selects, nil if there is none, and the name of
// the flight that would fetch it.
func (t *transport) kept(r *http.Request, q question) (*answer, string) {
	a, vary := t.store.find(q.key, func(a *answer) bool { return a.reach.covers(q) && selects(r.Header, a.selectors) })
	var name strings.Builder
	name.WriteString(q.key)
	for _, s := range vary {
		name.WriteString("\x00" + s.name + "\x00" + normal(s.name, r.Header[s.name]))
	}
	return a, name.String()
}

// isForOne reports whether a request goes to the storefront as it is: because its
// answer will be for nobody else, or is not one to be kept.
func (t *transport) isForOne(r *http.Request, q question, a *answer, n note, now time.Time) bool {
	switch {
	case q.d.noStore, now.Before(n.passUntil), (q.holder || q.authorized) && now.Before(n.theirsUntil) && a == nil:
		return true
	case r.Method == http.MethodHead:
		return a == nil || !hasValidator(a.plain().header)
	default:
		return q.part && a == nil
	}
}

// pass asks the storefront for one client, and learns from the answer.
func (t *transport) pass(r *http.Request, q question) (*http.Response, error) {
	t.count(Pass)
	asked := time.Now()
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	came := time.Now()
	v := judge(q, resp.StatusCode, resp.Header, came, t.own)
	switch {
	case r.Method == http.MethodHead:
		t.headed(r, q, resp, v, asked, came)
	case q.part, isAway(resp.StatusCode), resp.StatusCode == http.StatusNotModified:
	case v.theirs:
		t.notes.write(q.key, func(n *note) { n.theirsUntil = came.Add(passFor) })
	case v.keep && resp.ContentLength <= t.most():
		t.notes.write(q.key, func(n *note) { n.passUntil, n.theirsUntil = time.Time{}, time.Time{} }) // the next one is kept
	default:
		t.notes.write(q.key, func(n *note) { n.passUntil = came.Add(passFor) })
	}
	return resp, nil
}

// headed takes over what the answer to a HEAD says about the one that is kept: it
// is still good, or it is not (RFC 9111, 4.3.5).
func (t *transport) headed(r *http.Request, q question, resp *http.Response, v verdict, asked, came time.Time) {
	a, _ := t.kept(r, q)
	switch {
	case a == nil || v.theirs || resp.StatusCode != http.StatusOK:
	case !a.sameAs(resp.StatusCode, resp.Header):
		t.store.forget(q.key)
	default:
		merged := a.merged(resp.Header)
		v = judge(q, a.status, merged, came, t.own)
		f := &flight{cache: t.Cache, q: q}
		f.keep(v, a.refreshed(q, r.Header, v, merged, asked, came), 0, asked)
	}
}

// fetch leads or joins a flight. Without answer and error what was waited for is
// not for this request.
func (t *transport) fetch(r *http.Request, q question, a *answer, name string, sure bool) (*http.Response, error) {
	f, leads := t.board(name, q.key)
	if leads {
		if b, _ := t.kept(r, q); b != nil && b != a { // brought between look and boarding
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
			return t.give(r, "", a, Stale)
		}
		if f.resp == nil {
			f.leave(true)
			return nil, f.err
		}
	}
	t.count(Pass)
	stop := context.AfterFunc(r.Context(), func() { f.end(context.Cause(r.Context())) })
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
	case f.what == failed && a != nil && a.whileAway(now):
		return t.give(r, q.key, a, Stale)
	case f.what == failed && f.sure && f.err != nil && !errors.Is(f.err, errNobody):
		return nil, f.err
	case f.what == failed && f.sure:
		return nil, ErrAway
	case f.what == failed, f.what == alone, f.what == theirs && (q.holder || q.authorized):
		return t.pass(r, q)
	}
	return nil, nil
}

// growing gives an answer that is still coming. What needs all of it waits: a part
// of it, or the whole for who has some already; and, since only who asked first can
// read on if it becomes too large, whoever else as long as nobody knows how large it
// is.
func (t *transport) growing(r *http.Request, f *flight, first bool) (*http.Response, error) {
	known := f.resp.ContentLength >= 0
	if isConditional(r.Header) || !first && !known {
		return t.grown(r, f, first)
	}
	h := f.resp.Header.Clone()
	if !first {
		h = f.answer.plain().header.Clone()
		h["Age"] = []string{ageField(f.answer.ageAt(time.Now()))}
		h["Content-Length"] = f.resp.Header["Content-Length"]
	}
	resp := *f.resp
	resp.Header, resp.Request = h, r
	body := &spoolReader{ctx: r.Context(), spool: f.spool}
	stop := func() bool { return true }
	if first {
		body.rest = func() io.Reader {
			stop = context.AfterFunc(r.Context(), func() { f.end(context.Cause(r.Context())) })
			return f.rest
		}
	}
	var once bool
	body.close = func() {
		if !once {
			once = true
			stop()
			f.leave(first)
		}
	}
	resp.Body = body
	if r.Method == http.MethodHead {
		body.close()
		resp.Body = http.NoBody
	}
	return &resp, nil
}

// grown gives an answer once it is whole, or the whole of one that has become too
// large to be kept.
func (t *transport) grown(r *http.Request, f *flight, first bool) (*http.Response, error) {
	timer := time.NewTimer(waitSure)
	defer timer.Stop()
	for {
		_, ended, err, grown := f.spool.from(0)
		switch {
		case ended && err == nil:
			f.leave(first)
			return f.whole.response(r, time.Now()), nil
		case ended && errors.Is(err, errOvergrown) && first:
			resp := *f.resp
			resp.Request = r
			stop := context.AfterFunc(r.Context(), func() { f.end(context.Cause(r.Context())) })
			resp.Body = &leaving{io.NopCloser(io.MultiReader(strings.NewReader(string(f.spool.whole())), f.rest)), func() { stop(); f.leave(true) }}
			return &resp, nil
		case ended && errors.Is(err, errOvergrown):
			f.leave(first)
			return nil, nil // it passes from here on
		case ended:
			f.leave(first)
			return nil, err
		}
		select {
		case <-grown:
		case <-timer.C:
			if !first {
				f.leave(first)
				return nil, ErrSlow
			}
		case <-r.Context().Done():
			f.leave(first)
			return nil, context.Cause(r.Context())
		}
	}
}

// fetchBehind fetches what is stale while it is still shown, for nobody in
// particular.
func (t *transport) fetchBehind(r *http.Request, q question, a *answer, name string) {
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

// give answers from what is kept.
func (t *transport) give(r *http.Request, key string, a *answer, o Outcome) (*http.Response, error) {
	t.count(o)
	t.want(order{key: key, answer: a}, r)
	return a.response(r, time.Now()), nil
}

// notKeptHere is what a client gets that wants nothing from the storefront (RFC
// 9111, 5.2.1.7).
func notKeptHere(r *http.Request) *http.Response {
	return &http.Response{
		Status: "504 Gateway Timeout", StatusCode: http.StatusGatewayTimeout, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Cache-Control": {"no-store"}, "Content-Length": {"0"}}, Body: http.NoBody, Request: r,
	}
}

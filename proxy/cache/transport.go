package cache

import (
	"net/http"
	"time"
)

// Transport answers from the cache, and asks next for what is not in it. Requests
// come to it as the origin would see them. account is a field that names a client, and
// counts as a cookie does; empty: there is none.
func (c *Cache) Transport(next http.RoundTripper, account string) http.RoundTripper {
	return &transport{c, next, http.CanonicalHeaderKey(account)}
}

type transport struct {
	*Cache
	next    http.RoundTripper
	account string
}

// RoundTrip answers a request. The answer may be one that others get as well: its
// header is the caller's own, its body is to be closed as any. Beside the errors of
// the next transport there are those of who waited for another's answer; that the
// origin is slow is a timeout.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.size() == 0 {
		return t.next.RoundTrip(r)
	}
	switch kindOf(r) {
	case skips:
		t.count(Forwarded)
		resp, err := t.next.RoundTrip(r)
		if err == nil && resp.StatusCode != http.StatusSwitchingProtocols {
			tellForwarded(resp.Header, "bypass", "")
		}
		return resp, err
	case changes:
		t.count(Forwarded)
		resp, err := t.next.RoundTrip(r)
		if err == nil {
			t.changed(r, resp, time.Now())
			tellForwarded(resp.Header, "method", "")
		}
		return resp, err
	default:
		q := ask(r, t.own)
		q.holder = q.holder || len(r.Header[t.account]) > 0
		return t.read(r, q)
	}
}

// read answers a GET or HEAD. It tries again when what it waited for turned out
// not to be for it, and forwards the request in the end.
func (t *transport) read(r *http.Request, q question) (*http.Response, error) {
	var fwd string
	for range 3 {
		now, n := time.Now(), t.notes.of(q.key)
		a, vary := t.kept(r, q)
		fwd = reasonOf(a, vary)
		switch {
		case a != nil && a.fresh(now):
			return t.give(r, q.key, a, Hit)
		case a != nil && a.whileFetching(now):
			t.fetchBehind(r, q, a)
			return t.give(r, q.key, a, Stale)
		case a != nil && a.whileAway(now) && now.Sub(n.failed) < failedFor:
			return t.give(r, q.key, a, Stale)
		case q.d.onlyIfCached:
			return notKeptHere(r), nil
		case t.isForOne(r, q, a, n, now):
			return t.forward(r, q, fwd)
		}
		e := errand{
			name: flightName(q.key, vary, r.Header), q: q, fwd: fwd, had: a, vary: vary,
			sure: n.sure || a != nil && a.life.fresh > 0,
		}
		e.bare = e.sure && now.Before(n.bareUntil)
		if a != nil && a.life.fresh == 0 {
			e.name, e.sure, e.bare = "", false, false // good only after asking, each time for itself
		}
		resp, err := t.fetch(r, e, n)
		if resp != nil || err != nil {
			return resp, err
		}
	}
	if n := t.notes.of(q.key); (n.sure || n.isUnknown(q)) && time.Since(n.failed) < failedFor {
		return nil, errAway // whoever asked, so far
	}
	return t.forward(r, q, fwd)
}

// kept is the answer that a request selects, nil if there is none, and what answers
// of its target are chosen by.
func (t *transport) kept(r *http.Request, q question) (*answer, []selector) {
	return t.store.find(q.key, func(a *answer) bool { return a.reach.covers(q) && selects(r.Header, a.selectors) })
}

// isForOne reports whether a request goes to the origin as it is: because its
// answer will be for nobody else, or is not one to be kept.
func (t *transport) isForOne(r *http.Request, q question, a *answer, n note, now time.Time) bool {
	switch {
	case q.d.noStore, now.Before(n.aloneUntil), (q.holder || q.authorized) && now.Before(n.theirsUntil) && a == nil:
		return true
	case r.Method == http.MethodHead:
		return a == nil || !hasValidator(a.plain().header)
	default:
		return q.part && a == nil
	}
}

// forward asks the origin for one client, and learns from the answer.
func (t *transport) forward(r *http.Request, q question, fwd string) (*http.Response, error) {
	t.count(Forwarded)
	x := exchange{asked: time.Now()}
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	x.came = time.Now()
	v := judge(q, resp.StatusCode, resp.Header, x.came, t.own)
	defer tellForwarded(resp.Header, fwd, v.why)
	switch {
	case r.Method == http.MethodHead:
		t.headed(r, q, resp, v, x)
	case q.part, isAway(resp.StatusCode), resp.StatusCode == http.StatusNotModified:
	case v.theirs:
		t.notes.write(q.key, func(n *note) { n.theirsUntil = x.came.Add(aloneFor) })
	case v.keep && resp.ContentLength <= t.most():
		t.notes.write(q.key, func(n *note) { n.aloneUntil, n.theirsUntil = time.Time{}, time.Time{} }) // the next one is kept
	default:
		t.notes.write(q.key, func(n *note) {
			if !isRefusal(resp.StatusCode, n.sure) {
				n.aloneUntil = x.came.Add(aloneFor)
			}
		})
	}
	return resp, nil
}

// headed takes over what the answer to a HEAD says about the one that is kept: it
// is still good, or it is not (RFC 9111, 4.3.5).
func (t *transport) headed(r *http.Request, q question, resp *http.Response, v verdict, x exchange) {
	a, _ := t.kept(r, q)
	switch {
	case a == nil || v.theirs || resp.StatusCode != http.StatusOK:
	case !a.sameAs(resp.StatusCode, resp.Header):
		t.store.lose(q.key, a)
	default:
		merged := a.merged(resp.Header)
		v = judge(q, a.status, merged, x.came, t.own)
		t.keep(q, v, a, a.refreshed(r.Header, v, merged, a.ownTag, x), 0, x)
	}
}

// give answers from what is kept.
func (t *transport) give(r *http.Request, key string, a *answer, o Outcome) (*http.Response, error) {
	t.count(o)
	t.want(key, a, r)
	resp := t.respond(r, a)
	tell(resp.Header, statuses[o])
	if o == Hit || o == Stale {
		resp.Body = keptBody{resp.Body}
	}
	return resp, nil
}

// notKeptHere is what a client gets that wants nothing from the origin (RFC
// 9111, 5.2.1.7).
func notKeptHere(r *http.Request) *http.Response {
	return &http.Response{
		Status: "504 Gateway Timeout", StatusCode: http.StatusGatewayTimeout, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Cache-Control": {"no-store"}, "Content-Length": {"0"}}, Body: http.NoBody, Request: r,
	}
}

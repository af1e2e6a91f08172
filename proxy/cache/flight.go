package cache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	aloneFor = 30 * time.Second // a fetch that nobody waits for any more goes on for so long
	pumpSize = 32 << 10
)

// errNobody ends a fetch that nobody waits for.
var errNobody = errors.New("nobody waits for this answer")

// landing is what a flight brought.
type landing int

const (
	renewed  landing = iota // what was kept is still good
	spooling                // an answer that can be kept, as it comes
	alone                   // one for the first who asked, and for nobody else
	theirs                  // the same, for what they showed
	failed                  // none, or one about the storefront and not about the target
	again                   // nothing: somebody else had brought it meanwhile
)

// flight is one fetch, for the one who asked first and for who asks meanwhile, the
// riders.
type flight struct {
	cache *Cache
	name  string // among the flights under way; "" is on its own
	key   string
	q     question
	in    http.Header // of the request, by which the answer is chosen
	had   *answer     // to be validated; nil: nothing
	sure  bool        // the target's answers could be kept so far
	begun time.Time
	end   context.CancelCauseFunc

	landed chan struct{} // closed when the following is set
	what   landing
	answer *answer        // of renewed; of spooling without its body
	shared bool           // riders may use it, too
	resp   *http.Response // of all but again, and but renewed: for the first
	spool  *spool
	whole  *answer // of spooling, once the spool has ended well
	err    error   // of failed, when there is no resp

	reserved int64 // bytes; the fetch's own

	mu     sync.Mutex
	aboard int     // who waits or reads
	first  bool    // who asked first is among them
	rest   *lonely // what they alone may read
}

// board is the flight of a name, a new one if none is under way. What it is for is
// set by who leads.
func (c *Cache) board(name, key string) (f *flight, leads bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f = c.flights[name]; f != nil && name != "" {
		f.mu.Lock()
		f.aboard++
		f.mu.Unlock()
		return f, false
	}
	f = &flight{cache: c, name: name, key: key, begun: time.Now(), landed: make(chan struct{}), aboard: 1, first: true}
	if name != "" {
		c.flights[name] = f
	}
	return f, true
}

// flying reports whether a flight is under way.
func (c *Cache) flying(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.flights[name] != nil
}

// off takes a flight off the list: who comes now needs another.
func (f *flight) off() {
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	if f.cache.flights[f.name] == f {
		delete(f.cache.flights, f.name)
	}
}

// leave is for who no longer waits or reads. The last one ends a fetch that may be
// for nobody else; another goes on for a while.
func (f *flight) leave(first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.aboard--
	if first {
		f.first = false
		if f.rest != nil {
			_ = f.rest.Close()
		}
	}
	switch {
	case f.aboard > 0:
	case f.sure:
		time.AfterFunc(aloneFor, f.endIfEmpty)
	default:
		f.end(errNobody)
	}
}

func (f *flight) endIfEmpty() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.aboard == 0 {
		f.end(errNobody)
	}
}

// take begins the fetch for a request, in the background; the request may end
// before it.
func (f *flight) take(next http.RoundTripper, req *http.Request, q question, had *answer, sure bool) {
	f.q, f.in, f.had, f.sure = q, req.Header.Clone(), had, sure
	ctx, end := context.WithCancelCause(context.WithoutCancel(req.Context()))
	f.end = end
	out := req.Clone(ctx)
	out.Method = http.MethodGet
	removeConditions(out.Header)
	if had != nil {
		had.validate(out.Header)
	}
	f.cache.work.Go(func() {
		defer end(nil)
		f.fly(next, out)
	})
}

func (f *flight) fly(next http.RoundTripper, out *http.Request) {
	asked := time.Now()
	resp, err := next.RoundTrip(out)
	came := time.Now()
	switch {
	case errors.Is(context.Cause(out.Context()), errNobody):
		f.err = errNobody
		if err == nil {
			_ = resp.Body.Close()
		}
		f.land(failed)
	case err != nil:
		f.err = err
		f.fail(came)
	case resp.StatusCode == http.StatusNotModified && f.had != nil:
		_ = resp.Body.Close()
		f.renew(resp, asked, came)
	default:
		f.bring(resp, asked, came)
	}
}

// land tells everybody what came.
func (f *flight) land(what landing) {
	f.what = what
	if what != spooling {
		f.off()
	}
	close(f.landed)
}

// fail is for a storefront that did not answer, or said that it cannot. Nothing is
// learned about the target.
func (f *flight) fail(now time.Time) {
	f.cache.notes.write(f.q.key, func(n *note) { n.failed = now })
	f.handOver(failed)
}

// handOver gives the answer to who asked first, with all that is still to come,
// and waits until they have had it.
func (f *flight) handOver(what landing) {
	wait := func() {}
	if f.resp != nil {
		wait = f.leaveRest()
	}
	f.land(what)
	wait()
}

// leaveRest makes the body of the answer one for who asked first alone. If they
// have left, it ends here.
func (f *flight) leaveRest() (wait func()) {
	rest := &lonely{ReadCloser: f.resp.Body, closed: make(chan struct{})}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rest = rest
	if !f.first {
		_ = rest.Close()
	}
	return func() { <-rest.closed }
}

// lonely is the body of an answer for one client. The fetch lasts until it is
// closed.
type lonely struct {
	io.ReadCloser
	once   sync.Once
	closed chan struct{}
}

func (l *lonely) Close() (err error) {
	l.once.Do(func() {
		err = l.ReadCloser.Close()
		close(l.closed)
	})
	return err
}

// renew takes what was kept for still good (RFC 9111, 4.3.4).
func (f *flight) renew(resp *http.Response, asked, came time.Time) {
	merged := f.had.merged(resp.Header)
	v := judge(f.q, f.had.status, merged, came, f.cache.own)
	f.answer = f.had.refreshed(f.q, f.in, v, merged, asked, came)
	f.shared = v.shared
	f.resp = resp // for what goes to the first alone
	f.keep(v, f.answer, 0, asked)
	f.land(renewed)
}

// keep puts an answer into the store, unless what it shows may have changed since
// it was asked for, or it may not be kept; then what was kept is not good either.
func (f *flight) keep(v verdict, a *answer, reserved int64, asked time.Time) {
	if !v.keep || !asked.After(f.cache.notes.of(f.q.key).changed) {
		f.cache.store.release(reserved)
		if !v.keep && !v.theirs {
			f.cache.store.forget(f.q.key)
		}
		return
	}
	if f.cache.store.put(f.q.key, a, reserved) {
		f.cache.notes.write(f.q.key, func(n *note) {
			n.passUntil, n.failed = time.Time{}, time.Time{}
			n.sure = n.sure || v.life.fresh > 0
		})
	}
}

// bring takes an answer that is not about what is kept.
func (f *flight) bring(resp *http.Response, asked, came time.Time) {
	v := judge(f.q, resp.StatusCode, resp.Header, came, f.cache.own)
	size := resp.ContentLength
	switch {
	case isAway(resp.StatusCode) && (!v.keep || f.had != nil && f.had.whileAway(came)):
		f.resp = resp
		f.fail(came)
	case v.theirs:
		f.resp = resp
		f.cache.notes.write(f.q.key, func(n *note) { n.theirsUntil = came.Add(passFor) })
		f.handOver(theirs)
	case !v.keep || size > f.cache.most() || !isDelimited(resp) || !f.reserve(max(0, size)+overhead):
		f.resp = resp
		f.cache.notes.write(f.q.key, func(n *note) { n.passUntil = came.Add(passFor) })
		f.cache.store.forget(f.q.key)
		f.handOver(alone)
	default:
		f.resp, f.shared = resp, v.shared
		f.answer = newAnswer(f.q, f.in, v, resp.StatusCode, resp.Header, nil, asked, came)
		f.spool = newSpool(size)
		f.land(spooling)
		f.pump(v, asked, came)
	}
}

// isAway reports whether a status is about the storefront and not about the target.
func isAway(status int) bool {
	return status >= http.StatusInternalServerError || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// isDelimited reports whether the end of a body shows that it is whole.
func isDelimited(resp *http.Response) bool {
	return resp.ContentLength >= 0 || resp.ProtoMajor >= 2 || slices.Contains(resp.TransferEncoding, "chunked")
}

// reserve sets bytes aside for the flight.
func (f *flight) reserve(n int64) bool {
	if !f.cache.store.reserve(n) {
		return false
	}
	f.reserved += n
	return true
}

// pump reads the body into the spool, at the storefront's pace, and keeps it when
// it is whole.
func (f *flight) pump(v verdict, asked, came time.Time) {
	buf := make([]byte, pumpSize)
	read := int64(0)
	for {
		if f.resp.ContentLength < 0 && read+pumpSize+overhead > f.reserved {
			if more := max(f.reserved, 2*pumpSize); read+pumpSize > f.cache.most() || !f.reserve(more) {
				f.overgrow(came)
				return
			}
		}
		n, err := f.resp.Body.Read(buf)
		if n > 0 {
			f.spool.write(buf[:n])
			read += int64(n)
		}
		if err == nil {
			continue
		}
		_ = f.resp.Body.Close()
		if err != io.EOF {
			f.cache.store.release(f.reserved)
			f.off()
			f.spool.end(err)
			return
		}
		a := newAnswer(f.q, f.in, v, f.resp.StatusCode, f.resp.Header, snug(f.spool.whole()), asked, came)
		f.keep(v, a, f.reserved, asked)
		f.whole = a
		f.off()
		f.spool.end(nil)
		return
	}
}

// overgrow gives up keeping a body that is too large: who asked first reads on.
func (f *flight) overgrow(now time.Time) {
	f.cache.notes.write(f.q.key, func(n *note) { n.passUntil = now.Add(passFor) })
	f.cache.store.forget(f.q.key)
	f.off()
	wait := f.leaveRest()
	f.spool.end(errOvergrown)
	wait()
	f.cache.store.release(f.reserved)
}

// snug is a body in not much more memory than it needs.
func snug(b []byte) []byte {
	if cap(b)-len(b) > len(b)/8 {
		return bytes.Clone(b)
	}
	return b
}

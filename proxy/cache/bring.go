package cache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"
)

const pumpSize = 32 << 10

// exchange is when an answer was asked for and when it came.
type exchange struct{ asked, came time.Time }

// fly asks the origin and lands with what it says. It lasts until the answer is
// read, or somebody else's to read.
func (f *flight) fly(next http.RoundTripper) {
	x := exchange{asked: time.Now()}
	resp, err := next.RoundTrip(f.out)
	x.came = time.Now()
	defer func() {
		if f.rest == nil {
			f.end(nil)
		}
	}()
	switch {
	case errors.Is(context.Cause(f.out.Context()), errNobody):
		f.err = errNobody
		if err == nil {
			_ = resp.Body.Close()
		}
		f.land(failed)
	case errors.Is(err, ErrCrowded): // nothing is known of the origin
		f.err = err
		f.land(failed)
	case err != nil:
		f.err = err
		f.fail(x.came)
	case resp.StatusCode == http.StatusNotModified && f.had != nil:
		_ = resp.Body.Close()
		f.renew(resp, x)
	default:
		f.bring(resp, x)
	}
}

// fail is for an origin that did not answer, or said that it cannot. Nothing is
// learned about the target.
func (f *flight) fail(now time.Time) {
	f.cache.notes.write(f.q.key, func(n *note) {
		if n.failed = now; !f.bare {
			n.bareUntil = now.Add(bareFor)
		}
	})
	f.handOver(failed)
}

// renew takes what was kept for still good (RFC 9111, 4.3.4).
func (f *flight) renew(resp *http.Response, x exchange) {
	merged := f.had.merged(resp.Header)
	v := judge(f.q, f.had.status, merged, x.came, f.cache.own)
	f.answer = f.had.refreshed(f.in, v, merged, f.had.ownTag, x)
	f.shared = v.shared
	f.resp = resp // for what goes to the first alone
	f.cache.keep(f.q, v, f.had, f.answer, 0, x)
	f.land(renewed)
}

// keep puts an answer into the store, unless what it shows may have changed since
// it was asked for, or it may not be kept; then what was kept is not good either.
func (c *Cache) keep(q question, v verdict, had, a *answer, reserved int64, x exchange) {
	if !v.keep || !x.asked.After(c.notes.of(q.key).changed) {
		c.store.release(reserved)
		if !v.keep && !v.theirs {
			c.store.lose(q.key, had)
		}
		return
	}
	if c.store.put(q.key, a, reserved) {
		c.notes.write(q.key, func(n *note) {
			n.aloneUntil, n.failed = time.Time{}, time.Time{}
			n.sure = n.sure || v.life.fresh > 0
		})
	}
}

// bring takes an answer that is not about what is kept.
func (f *flight) bring(resp *http.Response, x exchange) {
	v := judge(f.q, resp.StatusCode, resp.Header, x.came, f.cache.own)
	f.why = v.why
	switch {
	case isAway(resp.StatusCode) && (!v.keep || f.had != nil && f.had.whileAway(x.came)):
		f.resp = resp
		f.fail(x.came)
	case !v.keep && isRefusal(resp.StatusCode, f.sure && !f.bare):
		f.resp = resp
		f.cache.notes.write(f.q.key, func(n *note) { n.bareUntil = x.came.Add(bareFor) })
		f.handOver(refused)
	case v.theirs:
		f.resp = resp
		f.cache.notes.write(f.q.key, func(n *note) { n.theirsUntil = x.came.Add(aloneFor) })
		f.handOver(theirs)
	case !v.keep || !f.hasRoom(resp):
		f.resp = resp
		f.cache.notes.write(f.q.key, func(n *note) { n.aloneUntil, n.bareUntil = x.came.Add(aloneFor), time.Time{} })
		f.cache.store.lose(f.q.key, f.had)
		f.handOver(alone)
	default:
		f.resp, f.shared = resp, v.shared
		f.answer = newAnswer(f.in, v, resp.StatusCode, resp.Header, nil, resp.Header.Get("Etag"), x)
		f.spool = newSpool(resp.ContentLength)
		f.known()
		f.land(spooling)
		f.pump(v, x)
	}
}

// isAway reports whether a status is about the origin and not about the target.
func isAway(status int) bool {
	return status >= http.StatusInternalServerError || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// isDelimited reports whether the end of a body shows that it is whole.
func isDelimited(resp *http.Response) bool {
	return resp.ContentLength >= 0 || resp.ProtoMajor >= 2 || slices.Contains(resp.TransferEncoding, "chunked")
}

// hasRoom reports whether the body of an answer may be kept, and sets bytes aside for
// what is known of it.
func (f *flight) hasRoom(resp *http.Response) bool {
	switch {
	case resp.ContentLength > f.cache.most():
		f.why = "too-large"
	case !isDelimited(resp):
		f.why = "no-length"
	case !f.reserve(max(0, resp.ContentLength) + overhead):
		f.why = "full"
	default:
		return true
	}
	return false
}

// reserve sets bytes aside for the flight, but for a large body none while readers hold
// on to as much as may be kept.
func (f *flight) reserve(n int64) bool {
	if f.reserved+n >= lentFrom && f.cache.lent.exceeds(f.cache.size()) || !f.cache.store.reserve(n) {
		return false
	}
	f.reserved += n
	return true
}

// pump reads the body into the spool, at the origin's pace, and keeps it when
// it is whole.
func (f *flight) pump(v verdict, x exchange) {
	buf := make([]byte, pumpSize)
	read := int64(0)
	watch := f.watch()
	defer watch.stop()
	for {
		if f.resp.ContentLength < 0 && read+pumpSize+overhead > f.reserved {
			if more := max(f.reserved, 2*pumpSize); read+pumpSize > f.cache.most() || !f.reserve(more) {
				watch.stop()
				f.overgrow(x.came)
				return
			}
			f.cache.lent.grown(f.spool, f.reserved)
		}
		n, err := f.resp.Body.Read(buf)
		if n > 0 {
			watch.moved()
			f.spool.write(buf[:n])
			read += int64(n)
		}
		if err == nil {
			continue
		}
		_ = f.resp.Body.Close()
		if err != io.EOF {
			if errors.Is(context.Cause(f.out.Context()), errSlow) {
				err = errSlow
			}
			f.cache.store.release(f.reserved)
			f.off()
			f.spool.end(err)
			return
		}
		a := newAnswer(f.in, v, f.resp.StatusCode, f.resp.Header, snug(f.spool.whole()), f.answer.ownTag, x)
		f.cache.keep(f.q, v, nil, a, f.reserved, x)
		f.whole = a
		f.off()
		f.spool.end(io.EOF)
		return
	}
}

// overgrow gives up keeping a body that is too large: who asked first reads on.
func (f *flight) overgrow(now time.Time) {
	f.why = "too-large"
	f.cache.notes.write(f.q.key, func(n *note) { n.aloneUntil = now.Add(aloneFor) })
	f.cache.store.lose(f.q.key, f.had)
	f.off()
	f.leaveRest()
	f.cache.store.release(f.reserved) // who reads on holds it, and it is lent to them
	f.spool.end(errOvergrown)
}

// snug is a body in not much more memory than it needs.
func snug(b []byte) []byte {
	if cap(b)-len(b) > len(b)/8 {
		return bytes.Clone(b)
	}
	return b
}

// known notes that the answer can be kept, so that it is read to its end whoever
// leaves.
func (f *flight) known() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sure = true
}

package cache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// growing gives an answer that is still coming. What needs all of it waits: a part
// of it, or the whole for who has some already; and, since only who asked first can
// read on if it becomes too large, whoever else as long as nobody knows how large it
// is.
func (t *transport) growing(r *http.Request, f *flight, first bool) (*http.Response, error) {
	known := f.resp.ContentLength >= 0
	if isConditional(r.Header) || !first && !known {
		return t.grown(r, f, first)
	}
	t.countGrown(first)
	h := f.resp.Header.Clone()
	if !first {
		h = f.answer.plain().header.Clone()
		h["Age"] = []string{ageField(f.answer.ageAt(time.Now()))}
		h["Content-Length"] = f.resp.Header["Content-Length"]
	}
	f.tellStored(h, first)
	resp := *f.resp
	resp.Header, resp.Request = h, r
	body := &spoolReader{ctx: r.Context(), spool: f.spool}
	stop := func() bool { return true }
	if first {
		body.rest = func() io.Reader {
			stop = f.endsWith(r.Context())
			return f.rest
		}
	}
	back := t.lent.lend(f.spool, max(f.resp.ContentLength, int64(len(f.spool.whole()))))
	resp.Body = newEnding(io.NopCloser(body), func() { stop(); f.leave(first); back() })
	if r.Method == http.MethodHead {
		_ = resp.Body.Close()
		resp.Body = http.NoBody
	}
	return &resp, nil
}

// grown gives an answer once it is whole, or the whole of one that has become too
// large to be kept.
func (t *transport) grown(r *http.Request, f *flight, first bool) (*http.Response, error) {
	end := f.spool.wait(r.Context(), first)
	if errors.Is(end, errOvergrown) && first {
		t.countGrown(first)
		resp := *f.resp
		resp.Header, resp.Request = f.resp.Header.Clone(), r
		tellForwarded(resp.Header, f.fwd, f.why)
		stop := f.endsWith(r.Context())
		whole := f.spool.whole()
		back := t.lent.lend(f.spool, int64(len(whole)))
		body := io.NopCloser(io.MultiReader(bytes.NewReader(whole), f.rest))
		resp.Body = newEnding(body, func() { stop(); f.leave(true); back() })
		return &resp, nil
	}
	defer f.leave(first)
	switch {
	case end == io.EOF:
		t.countGrown(first)
		resp := t.respond(r, f.whole)
		f.tellStored(resp.Header, first)
		return resp, nil
	case errors.Is(end, errOvergrown):
		return nil, nil // it goes its own way from here on
	default:
		return nil, end
	}
}

// tellStored says that what was fetched is kept, and whether for who asked first.
func (f *flight) tellStored(h http.Header, first bool) {
	if first {
		tell(h, "waitroom; fwd="+f.fwd+"; stored")
	} else {
		tell(h, "waitroom; fwd="+f.fwd+"; collapsed")
	}
}

func (t *transport) countGrown(first bool) {
	if first {
		t.count(Miss)
	} else {
		t.count(Joined)
	}
}

// wait waits for the end of a spool, and says what it was. Who asked first waits
// for as long as it takes, others do not.
func (s *spool) wait(ctx context.Context, first bool) (end error) {
	timer := time.NewTimer(waitMost)
	defer timer.Stop()
	for {
		_, grown, end := s.from(0)
		if end != nil {
			return end
		}
		select {
		case <-grown:
		case <-timer.C:
			if !first {
				return errSlow
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

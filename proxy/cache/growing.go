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
			stop = f.endsWith(r.Context())
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
		_, grown, end := f.spool.from(0)
		switch {
		case end == io.EOF:
			f.leave(first)
			return f.whole.response(r, time.Now()), nil
		case errors.Is(end, errOvergrown) && first:
			resp := *f.resp
			resp.Request = r
			stop := f.endsWith(r.Context())
			resp.Body = &leaving{io.NopCloser(io.MultiReader(bytes.NewReader(f.spool.whole()), f.rest)), func() { stop(); f.leave(true) }}
			return &resp, nil
		case errors.Is(end, errOvergrown):
			f.leave(first)
			return nil, nil // it passes from here on
		case end != nil:
			f.leave(first)
			return nil, end
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

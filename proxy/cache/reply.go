package cache

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strconv"
	"time"
)

// reply is what an answer comes to for one request: the whole form, a part of it,
// or only its header.
type reply struct {
	status int
	form   *form
	spans  []span // of a 206
}

// replyTo applies the conditions and ranges of a request to an answer (RFC 9110,
// 13.2.2). Only what succeeded has them.
func (a *answer) replyTo(in *Asked) reply {
	f := a.form(in)
	if a.status >= 300 {
		return reply{a.status, f, nil}
	}
	if unchanged(in, f.header) {
		return reply{http.StatusNotModified, f, nil}
	}
	ranges := in.Range
	if len(ranges) != 1 || in.Method != http.MethodGet || a.status != http.StatusOK || !sameAsBefore(first(in.IfRange), f.header) {
		return reply{a.status, f, nil}
	}
	switch spans, ok := parseRange(ranges[0], int64(len(f.body))); {
	case !ok:
		return reply{a.status, f, nil}
	case len(spans) == 0:
		return reply{http.StatusRequestedRangeNotSatisfiable, f, nil}
	default:
		return reply{http.StatusPartialContent, f, spans}
	}
}

// content is what goes out under a header, which it completes, and how long it is.
func (p reply) content(h http.Header) (io.Reader, int64) {
	size := int64(len(p.form.body))
	switch {
	case p.status == http.StatusNotModified:
		for _, name := range []string{"Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Md5", "Content-Range"} {
			delete(h, name)
		}
		return http.NoBody, 0
	case p.status == http.StatusRequestedRangeNotSatisfiable:
		h.Set("Content-Range", fmt.Sprintf("bytes */%d", size))
		return empty(h)
	case len(p.spans) == 1:
		s := p.spans[0]
		h.Set("Content-Range", s.contentRange(size))
		h.Set("Content-Length", strconv.FormatInt(s.to-s.from, 10))
		return bytes.NewReader(p.form.body[s.from:s.to]), s.to - s.from
	case len(p.spans) > 1:
		return p.parts(h)
	default:
		return bytes.NewReader(p.form.body), size
	}
}

func empty(h http.Header) (io.Reader, int64) {
	for _, name := range []string{"Content-Type", "Content-Encoding", "Content-Md5", "Etag", "Last-Modified"} {
		delete(h, name)
	}
	h.Set("Content-Length", "0")
	return http.NoBody, 0
}

// parts are several ranges in one body (RFC 9110, 14.6).
func (p reply) parts(h http.Header) (io.Reader, int64) {
	var head bytes.Buffer
	m := multipart.NewWriter(&head)
	var readers []io.Reader
	total := int64(0)
	cut := func() { // what was written since goes before the next part
		total += int64(head.Len())
		readers = append(readers, bytes.NewReader(bytes.Clone(head.Bytes())))
		head.Reset()
	}
	for _, s := range p.spans {
		fields := textproto.MIMEHeader{"Content-Range": {s.contentRange(int64(len(p.form.body)))}}
		if kind := h.Get("Content-Type"); kind != "" {
			fields.Set("Content-Type", kind)
		}
		_, _ = m.CreatePart(fields) // into memory
		cut()
		total += s.to - s.from
		readers = append(readers, bytes.NewReader(p.form.body[s.from:s.to]))
	}
	_ = m.Close()
	cut()
	h.Set("Content-Type", "multipart/byteranges; boundary="+m.Boundary())
	h.Set("Content-Length", strconv.FormatInt(total, 10))
	return io.MultiReader(readers...), total
}

// response is the reply as a transport gives it.
func (a *answer) response(r *http.Request, now time.Time) *http.Response {
	in := askedBy(r)
	p := a.replyTo(&in)
	h := p.form.header.Clone()
	h["Age"] = []string{ageField(a.ageAt(now))}
	body, length := p.content(h)
	if r.Method == http.MethodHead {
		body = http.NoBody
	}
	return &http.Response{
		Status: strconv.Itoa(p.status) + " " + http.StatusText(p.status), StatusCode: p.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(body), ContentLength: length, Request: r,
	}
}

func (a *answer) told(now time.Time) string {
	if a.fresh(now) {
		return statuses[Hit]
	}
	return statuses[Stale]
}

// send writes the reply straight out: the header is copied by reference.
func (a *answer) send(w http.ResponseWriter, r *http.Request, now time.Time) {
	in := askedBy(r)
	p := a.replyTo(&in)
	h := w.Header()
	for name, values := range p.form.header {
		h[name] = values
	}
	h["Age"] = []string{ageField(a.ageAt(now))}
	if len(h["Cache-Status"]) == 0 {
		tell(h, a.told(now))
	}
	body, _ := p.content(h)
	w.WriteHeader(p.status)
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, body) // the client may have left
	}
}

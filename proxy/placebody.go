package proxy

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"sync/atomic"

	"github.com/waitroom/waitroom/proxy/places"
)

func hasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }

// withBody is the request with another body.
func withBody(r *http.Request, body io.ReadCloser) *http.Request {
	out := *r
	out.Body = body
	return &out
}

// smallBody is how much of a body is read before its request enters: all of a login, and
// of a payment provider's notice.
const smallBody = 16 << 10

// withBegun is a request of whose body the first smallBody have come, so that it holds no
// place while they do; rest says that there is more, or may be. A body of which nobody
// says how long it is may be one of two streams, and who waits to be asked for one is
// asked by the origin. The error is why the body could not be read.
func withBegun(r *http.Request) (begun *http.Request, rest bool, err error) {
	if !hasBody(r) {
		return r, false, nil
	}
	if r.ContentLength < 0 || r.Header.Get("Expect") != "" {
		return r, true, nil
	}
	first, err := io.ReadAll(io.LimitReader(r.Body, smallBody+1)) // to its end, if it is small
	if err != nil {
		return nil, false, err
	}
	from := io.Reader(bytes.NewReader(first))
	if rest = r.ContentLength > smallBody; rest {
		from = io.MultiReader(from, r.Body)
	}
	return withBody(r, &begunBody{from, r.Body}), rest, nil
}

// begunBody is a body of which the first was read.
type begunBody struct {
	io.Reader
	io.Closer
}

// sentBody says when all of a body was read, before the last of it is passed on, and
// why not where it could not be.
type sentBody struct {
	io.ReadCloser
	left int64 // negative: not known
	sent func() error
	err  atomic.Pointer[error] // a request may end while its body is still read
}

func (b *sentBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); err == io.EOF || b.left == 0 && n > 0 {
		if full := b.sent(); full != nil {
			n, err = 0, full
		}
	}
	if err != nil && err != io.EOF {
		b.err.Store(&err)
	}
	return n, err
}

// broken is why the body could not be read on; nil: it could, or there is none.
func (b *sentBody) broken() error {
	if b == nil || b.err.Load() == nil {
		return nil
	}
	return *b.err.Load()
}

// worksOn reports whether the origin may still work on an answer whose head has come:
// where it does not know how long that will be, and it is none that ends when somebody
// leaves.
func worksOn(resp *http.Response) bool {
	if resp.StatusCode == http.StatusSwitchingProtocols || resp.ContentLength >= 0 || resp.Body == http.NoBody {
		return false
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return kind != "text/event-stream" && kind != "multipart/x-mixed-replace"
}

// workingBody holds its place while more of it is waited for, until it was read.
type workingBody struct {
	io.ReadCloser
	stay *places.Stay
}

func (b *workingBody) Read(p []byte) (int, error) {
	b.stay.Works()
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.stay.Leave()
	} else {
		b.stay.Rests()
	}
	return n, err
}

// Ready is of what there is.
func (b *workingBody) Ready() bool {
	body, ok := b.ReadCloser.(interface{ Ready() bool })
	return ok && body.Ready()
}

func (b *workingBody) Close() error {
	b.stay.Leave()
	return b.ReadCloser.Close()
}

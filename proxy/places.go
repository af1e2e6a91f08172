package proxy

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/waitroom/waitroom/proxy/cache"
	"github.com/waitroom/waitroom/proxy/crowd"
	"github.com/waitroom/waitroom/proxy/origin"
	"github.com/waitroom/waitroom/static"
)

// crowdedPoll is when who found no place at the origin asks again.
const crowdedPoll = 3 * time.Second

// places asks the origin for those who find a place there. What is answered from
// the cache needs none.
type places struct {
	house *house
	pool  *origin.Pool
	bound *crowd.Bound // nil: there are as many as anybody wants
}

// turnedAway is the error of a request that found no place.
type turnedAway crowd.Class

func (t turnedAway) Error() string {
	return crowd.ErrFull.Error() + ", for who is " + crowd.Class(t).String()
}

// Unwrap is for errors.Is: what is kept is shown instead.
func (t turnedAway) Unwrap() []error { return []error{crowd.ErrFull, cache.ErrCrowded} }

// newPlaces are as many as the configuration says, at the pool of a way: those of the
// last one, with who is there, if nothing about them has changed.
func newPlaces(h *house, pool *origin.Pool, last *house) *places {
	p := &places{house: h, pool: pool}
	bound := h.cfg.Origin.AtOnce
	switch {
	case bound.Off:
	case last != nil && last.way.pool == pool && last.cfg.Origin.AtOnce == bound:
		p.bound = last.way.places.bound
	default:
		p.bound = crowd.New(bound.Most, pool.Most())
	}
	return p
}

// RoundTrip asks the origin, when there is a place for the request. Beside the errors
// of the pool there is turnedAway.
func (p *places) RoundTrip(r *http.Request) (*http.Response, error) {
	stay, err := p.enter(r)
	if err != nil || stay == nil {
		if err == nil {
			return p.pool.RoundTrip(r)
		}
		return nil, err
	}
	if hasBody(r) {
		r = withBody(r, &sentBody{ReadCloser: r.Body, left: r.ContentLength, sent: stay.Sent})
	}
	resp, err := p.pool.RoundTrip(r)
	if err != nil {
		if r.Context().Err() == nil {
			stay.Answered(false, false)
		}
		stay.Leave()
		return nil, err
	}
	works := worksOn(resp)
	if stay.Answered(resp.StatusCode < http.StatusInternalServerError, works); works {
		resp.Body = &workingBody{resp.Body, stay}
	}
	return resp, nil
}

// enter takes a place, and waits for one where none is free: who sends the request
// matters then, and is not looked at before.
func (p *places) enter(r *http.Request) (*crowd.Stay, error) {
	route, body := crowd.RouteOf(r.Method, r.URL.Path), hasBody(r)
	if stay, in := p.bound.Enter(route, body); in {
		return stay, nil
	}
	class := p.class(r)
	stay, err := (*crowd.Stay)(nil), error(crowd.ErrFull)
	if !speculative(r) {
		stay, err = p.bound.Wait(r.Context(), class, route, body)
	}
	if err == crowd.ErrFull {
		p.house.metrics.places.refused(class)
		return nil, turnedAway(class)
	}
	return stay, err
}

// class is what a request is for. Only what we have signed counts: who holds a
// reservation, or has a pass, shows a cookie that says so on every edge. What is
// fetched for everybody is as if for them.
func (p *places) class(r *http.Request) crowd.Class {
	asked, isOfSomebody := r.Context().Value(passageKey{}).(passage)
	if !isOfSomebody {
		return crowd.Holding
	}
	switch pass := p.house.bestPass(asked.in); {
	case pass != nil && pass.Reservation != "":
		return crowd.Holding
	case pass != nil, asked.guest != nil && asked.guest.shopper.pass != nil, cache.ForMany(r):
		return crowd.Passed
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return crowd.Everyone
	default:
		return crowd.Changing
	}
}

// noPlace answers who found none.
func noPlace(r *http.Request, class crowd.Class) answer {
	a := problem(http.StatusServiceUnavailable, "crowded", static.Crowded)
	a.reason, a.retry = class.String(), spread(crowdedPoll)
	if r.Method == http.MethodGet {
		a.view.Refresh = a.retry // a form must not be posted again unasked, nor asked for
	}
	return a
}

// atOrigin says what the origin is asked at this moment, and how it bears that.
func (e *Edge) atOrigin(steered, *http.Request) (string, error) {
	s := e.house.Load().way.places.bound.Look()
	if s.Limit == 0 {
		return "any number may be at the origin at once", nil
	}
	waiting := 0
	for _, n := range s.Waiting {
		waiting += n
	}
	return fmt.Sprintf("%d at the origin, %d may be, %d wait; an answer begins after about %v, %.1f times what is usual",
		s.Here, s.Limit, waiting, s.Took.Round(time.Millisecond), s.Slower), nil
}

func hasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }

// withBody is the request with another body.
func withBody(r *http.Request, body io.ReadCloser) *http.Request {
	out := *r
	out.Body = body
	return &out
}

// sentBody says when all of a body was read.
type sentBody struct {
	io.ReadCloser
	left int64 // negative: not known
	sent func()
}

func (b *sentBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); err == io.EOF || b.left == 0 && n > 0 {
		b.sent()
	}
	return n, err
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
	stay *crowd.Stay
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

func (b *workingBody) Close() error {
	b.stay.Leave()
	return b.ReadCloser.Close()
}

package proxy

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/waitroom/waitroom/proxy/cache"
	"github.com/waitroom/waitroom/proxy/origin"
	"github.com/waitroom/waitroom/proxy/places"
)

// usher asks the origin for those who find a place there. What is answered from the
// cache needs none.
type usher struct {
	house *house
	pool  *origin.Pool
	bound *places.Bound // nil: there are as many as anybody wants
}

// turnedAway is the error of a request that found no place.
type turnedAway places.Class

func (t turnedAway) Error() string {
	return places.ErrFull.Error() + ", for who is " + places.Class(t).String()
}

// Unwrap is for errors.Is: what is kept is shown instead.
func (t turnedAway) Unwrap() []error { return []error{places.ErrFull, cache.ErrCrowded} }

// newUsher has as many places as the configuration says, at the pool of a way: those of
// the last one, with who is there, if nothing about them has changed.
func newUsher(h *house, pool *origin.Pool, last *house) *usher {
	u := &usher{house: h, pool: pool}
	bound := h.cfg.Origin.AtOnce
	switch {
	case bound.Off:
	case last != nil && last.way.pool == pool && last.cfg.Origin.AtOnce == bound:
		u.bound = last.way.usher.bound
	default:
		u.bound = places.New(bound.Most, pool.Most())
	}
	return u
}

// RoundTrip asks the origin, when there is a place for the request. Beside the errors
// of the pool there is turnedAway.
func (u *usher) RoundTrip(r *http.Request) (*http.Response, error) {
	stay, err := u.enter(r)
	if err != nil {
		return nil, err
	}
	if stay == nil {
		return u.pool.RoundTrip(r)
	}
	if hasBody(r) {
		r = withBody(r, &sentBody{ReadCloser: r.Body, left: r.ContentLength, sent: stay.Sent})
	}
	resp, err := u.pool.RoundTrip(r)
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
func (u *usher) enter(r *http.Request) (*places.Stay, error) {
	route, body := places.RouteOf(r.Method, r.URL.Path), hasBody(r)
	if stay, in := u.bound.Enter(route, body); in {
		return stay, nil
	}
	class := u.class(r)
	if speculative(r) {
		return nil, u.turnAway(class)
	}
	stay, err := u.bound.Wait(r.Context(), class, route, body)
	if errors.Is(err, places.ErrFull) {
		return nil, u.turnAway(class)
	}
	return stay, err
}

func (u *usher) turnAway(class places.Class) error {
	u.house.metrics.places.refused(class)
	return turnedAway(class)
}

// class is what a request is for. Only what we have signed counts: who holds a
// reservation, or has a pass, shows a cookie that says so on every edge. What is
// fetched for everybody is as if for them.
func (u *usher) class(r *http.Request) places.Class {
	asked, isOfSomebody := passageOf(r)
	if !isOfSomebody {
		return places.Holding
	}
	switch pass := u.house.bestPass(asked.in); {
	case pass != nil && pass.Reservation != "":
		return places.Holding
	case pass != nil, asked.guest != nil && asked.guest.shopper.pass != nil, cache.ForMany(r):
		return places.Passed
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return places.Everyone
	default:
		return places.Changing
	}
}

// atOrigin says what the origin is asked at this moment, and how it bears that.
func (e *Edge) atOrigin(steered, *http.Request) (string, error) {
	s := e.sight()
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

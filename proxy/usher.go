package proxy

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/waitroom/waitroom/proxy/cache"
	"github.com/waitroom/waitroom/proxy/origin"
	"github.com/waitroom/waitroom/proxy/places"
	"github.com/waitroom/waitroom/shedding"
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
	if u.bound == nil {
		return u.pool.RoundTrip(u.first(r))
	}
	r, comes, err := withBegun(r)
	if err != nil {
		return nil, err
	}
	stay, err := u.enter(r, comes)
	if err != nil {
		return nil, err
	}
	r = u.first(r)
	var body *sentBody
	if comes {
		body = &sentBody{ReadCloser: r.Body, left: r.ContentLength, sent: func() error {
			return stay.Sent(r.Context(), func() places.Who { return u.who(r) })
		}}
		r = withBody(r, body)
	}
	resp, err := u.pool.RoundTrip(r)
	if err != nil {
		broken := body.broken()
		stay.Of(u.who(r))
		if r.Context().Err() == nil && broken == nil {
			stay.Answered(false, false)
		}
		stay.Leave()
		if errors.Is(broken, places.ErrFull) {
			return nil, u.turnAway(u.class(r))
		}
		return nil, err
	}
	able, works := isAble(resp.StatusCode), worksOn(resp)
	if !able {
		stay.Of(u.who(r))
	}
	if stay.Answered(able, works); works {
		resp.Body = &workingBody{resp.Body, stay}
	}
	return resp, nil
}

// isAble reports whether a status says nothing of what the origin can bear: what it has
// not been made for (RFC 9110, 15.6.2 and 15.6.6) it does not do for one alone either.
func isAble(status int) bool {
	return status < http.StatusInternalServerError ||
		status == http.StatusNotImplemented || status == http.StatusHTTPVersionNotSupported
}

// first lets those whom the classes let come first do so at the pool as well.
func (u *usher) first(r *http.Request) *http.Request {
	return r.WithContext(origin.First(r.Context(), func() bool { return u.class(r) <= places.Passed }))
}

// enter takes a place, and waits for one where none is free: who sends the request
// matters then, and is not looked at before. comes says that some of its body does.
func (u *usher) enter(r *http.Request, comes bool) (*places.Stay, error) {
	route := places.RouteOf(r.Method, r.URL.Path)
	if stay, in := u.bound.Enter(route, comes); in {
		return stay, nil
	}
	who := u.who(r)
	if q := questionOf(r); q.speculative() {
		return nil, u.turnAway(who.Class)
	}
	stay, err := u.bound.Wait(r.Context(), who, route, comes)
	if errors.Is(err, places.ErrFull) {
		return nil, u.turnAway(who.Class)
	}
	return stay, err
}

func (u *usher) turnAway(class places.Class) error {
	u.house.metrics.places.refused(class)
	return turnedAway(class)
}

// class is what a request is for.
func (u *usher) class(r *http.Request) places.Class { return u.who(r).Class }

// who is what a request is for, and of whom. Only what we have signed counts: who holds
// a reservation, or has a pass, shows a cookie that says so on every edge. What is
// fetched for everybody is as if for them.
func (u *usher) who(r *http.Request) places.Who {
	asked, isOfSomebody := passageOf(r)
	if !isOfSomebody {
		return places.Holding.Of("")
	}
	address := shedding.AddressKey(u.house.trust.client(asked.q))
	switch pass, pays := u.house.bestPass(asked.q); {
	case pays:
		return places.Holding.Of("hold " + pass.Reservation)
	case pass != nil:
		return places.Passed.Of("pass " + pass.Account())
	case asked.guest != nil && asked.guest.shopper.pass != nil, cache.ForMany(r):
		return places.Passed.Of(address)
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return places.Everyone.Of(address)
	default:
		return places.Changing.Of(address)
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

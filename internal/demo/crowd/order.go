package crowd

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"
)

const (
	orderPoll = 500 * time.Millisecond
	hopePoll  = 5 * time.Second // after a "sold out" that says nothing of when to look again
)

// reserve notes a reservation that an answer told of.
func (s *shopper) reserve(a answer) {
	if a.Reservation == "" {
		return
	}
	s.visits.own(a.Reservation, s.id)
	if !slices.Contains(s.living, a.Reservation) {
		s.living = append(s.living, a.Reservation)
	}
	if a.Checkout == "" { // an "already bought" names the reservation only
		a.Checkout = s.mine.Checkout
	}
	s.mine = a
}

// order asks what became of the reservation, until it is decided.
func (s *shopper) order(ctx context.Context) step {
	r, err := s.ask(ctx, request{method: http.MethodGet, path: s.path("order"), kind: jsonType})
	if err != nil {
		return s.later((*shopper).order, 2*time.Second)
	}
	switch r.status {
	case http.StatusOK:
		return s.ordered(r)
	case http.StatusNotFound:
		if s.mine.Reservation == "" { // a page that sold nothing
			return s.later((*shopper).poll, r.after())
		}
		return s.later((*shopper).order, orderPoll)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
	default:
		s.unexpected("GET order", r)
	}
	return s.later((*shopper).order, r.after())
}

// ordered is what follows from an order's status.
func (s *shopper) ordered(r reply) step {
	a := r.answer()
	s.reserve(a)
	switch a.Status {
	case "finishing":
		return s.later((*shopper).order, orderPoll)
	case "held":
		return s.basket(a)
	case "paid":
		s.end = paid
		return nil
	case "expired":
		s.end = expired
		s.lose(a.Reservation)
		return nil
	case "refused", "refund_due":
		s.lose(a.Reservation)
		return s.leave(r)
	}
	s.problem("order: status %q", a.Status)
	return s.later((*shopper).order, 2*time.Second)
}

func (s *shopper) lose(reservation string) {
	s.living = slices.DeleteFunc(s.living, func(r string) bool { return r == reservation })
}

// basket is what each habit does with a held unit.
func (s *shopper) basket(a answer) step {
	left := min(max(time.Until(time.UnixMilli(a.PayBefore)), 0), time.Hour)
	switch {
	case s.paying:
		return s.later((*shopper).order, orderPoll)
	case s.pays == walksAway:
		return s.later((*shopper).order, min(left+orderPoll, 5*time.Second))
	case s.pays == dithers:
		return s.later((*shopper).pay, time.Duration(s.rng.Float64()*0.7*float64(left)))
	}
	return (*shopper).pay
}

// pay goes through the checkout; whoever presses twice pays twice, and must be
// charged once.
func (s *shopper) pay(ctx context.Context) step {
	if where, ok := s.checkout(); ok {
		page, err := s.ask(ctx, request{method: http.MethodGet, path: where})
		if err == nil && page.status != http.StatusOK {
			s.unexpected("GET checkout", page)
		}
	}
	form := url.Values{"reservation": {s.mine.Reservation}}.Encode()
	q := request{method: http.MethodPost, path: s.PayPath, kind: formType, body: form}
	r, err := s.ask(ctx, q)
	if err == nil && s.double != 0 {
		r, err = s.ask(ctx, q)
	}
	switch {
	case err != nil:
		return s.later((*shopper).order, 2*time.Second)
	case r.status < 300 || r.status == http.StatusSeeOther:
		s.paying = true
	case r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable:
		return s.later((*shopper).order, r.after())
	default:
		s.unexpected("POST pay", r)
		return s.later((*shopper).order, 2*time.Second)
	}
	return (*shopper).order
}

// checkout is the checkout's path at the edge, if an address was given.
func (s *shopper) checkout() (string, bool) {
	u, err := url.Parse(s.mine.Checkout)
	if err != nil || u.Path == "" {
		return "", false
	}
	return u.RequestURI(), true
}

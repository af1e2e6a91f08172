package crowd

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// browse looks at the product.
func (s *shopper) browse(ctx context.Context) step {
	if s.rng.Float64() < logsIn {
		form := fmt.Sprintf("name=shopper-%x-%d&password=x", s.Seed, s.id)
		r, err := s.ask(ctx, request{method: http.MethodPost, path: "/login", kind: formType, body: form})
		if err == nil && r.status != http.StatusSeeOther {
			s.unexpected("POST /login", r)
		}
	}
	r, err := s.ask(ctx, request{method: http.MethodGet, path: s.ProductPage})
	switch {
	case err != nil:
		return s.later((*shopper).browse, 2*time.Second)
	case r.status == http.StatusOK:
		return (*shopper).press
	case r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable:
	default:
		s.unexpected("GET product page", r)
	}
	return s.later((*shopper).browse, r.after())
}

// press is the button for the first time, without a pass, or what a page's
// script does in its place.
func (s *shopper) press(ctx context.Context) step {
	if !s.form && s.rng.Float64() < joinsOnPage {
		return s.join(ctx)
	}
	r, err := s.ask(ctx, s.buttonPress(""))
	if err != nil {
		return s.later((*shopper).press, 2*time.Second)
	}
	return s.pressed(ctx, r)
}

func (s *shopper) join(ctx context.Context) step {
	if s.Proof {
		return s.prove(ctx)
	}
	return s.take(ctx, "")
}

// take asks for a ticket with what is shown for it.
func (s *shopper) take(ctx context.Context, shown string) step {
	r, err := s.ask(ctx, request{method: http.MethodPost, path: s.path("ticket"), kind: jsonType, body: shown})
	if err != nil {
		return s.later((*shopper).press, 2*time.Second)
	}
	switch r.status {
	case http.StatusCreated, http.StatusOK:
		return s.stand(r)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
	default:
		if r.answer().State != "" {
			return s.stand(r) // too early, or too late
		}
		if r.answer().Challenge != "" { // what was shown was too old
			return s.later((*shopper).press, r.after())
		}
		s.unexpected("POST ticket", r)
	}
	return s.later((*shopper).press, r.after())
}

// poll asks where this shopper stands, now and then after a look at the
// document that everybody shares.
func (s *shopper) poll(ctx context.Context) step {
	if s.rng.Float64() < readsStatus {
		_ = s.readStatus(ctx) // the poll that follows says more
	}
	r, err := s.ask(ctx, request{method: http.MethodGet, path: s.path("me"), kind: jsonType})
	switch {
	case err != nil:
		return s.later((*shopper).poll, 2*time.Second)
	case r.status == http.StatusOK:
		return s.stand(r)
	case r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable:
	default:
		s.unexpected("GET me", r)
	}
	return s.later((*shopper).poll, r.after())
}

// stand is what follows from the answer of `me`.
func (s *shopper) stand(r reply) step {
	switch state := r.answer().State; state {
	case "none":
		if s.sale == "" || s.refused { // they came too late for a ticket, it may be
			s.told = hopePoll
			return (*shopper).hope
		}
		if s.sale == "open" {
			return (*shopper).press
		}
		return s.later((*shopper).press, r.after())
	case "lottery", "waiting", "paused":
		return s.later((*shopper).poll, r.after())
	case "called":
		return (*shopper).claim
	case "admitted":
		return (*shopper).buy
	case "held":
		return (*shopper).order
	case "sold_out":
		s.hearNo(r)
		s.told = r.after()
		return (*shopper).hope
	case "hopeless", "ended":
		return s.leave(r)
	default:
		s.problem("me: state %q", state)
		return s.later((*shopper).poll, r.after())
	}
}

// claim asks for the pass.
func (s *shopper) claim(ctx context.Context) step {
	r, err := s.ask(ctx, request{method: http.MethodPost, path: s.path("pass"), kind: jsonType})
	if err != nil {
		return s.later((*shopper).poll, 2*time.Second)
	}
	a := r.answer()
	switch {
	case r.status == http.StatusOK:
		s.admit(a.AdmittedAt)
		return (*shopper).buy
	case r.status == http.StatusTooManyRequests && (a.State == "called" || a.State == ""),
		r.status == http.StatusServiceUnavailable:
		return s.later((*shopper).claim, r.after())
	case a.State != "":
		return s.stand(r)
	}
	s.unexpected("POST pass", r)
	return s.later((*shopper).poll, r.after())
}

// hope waits for a unit to come back after a "sold out", at the price of the
// shared document only.
func (s *shopper) hope(ctx context.Context) step {
	if len(s.living) > 0 {
		return (*shopper).order // it was another tab that came too late
	}
	if s.readStatus(ctx) != nil {
		return s.later((*shopper).hope, 2*time.Second)
	}
	wait := max(s.told, time.Second)
	switch s.sale {
	case "sold_out", "ended":
		s.end = toldNo
		return nil
	case "all_held", "":
		return s.later((*shopper).hope, wait)
	}
	if !s.entered {
		return s.later((*shopper).press, wait)
	}
	return s.later((*shopper).poll, wait)
}

// readStatus reads the shared document, or learns that it is still the same.
func (s *shopper) readStatus(ctx context.Context) error {
	r, err := s.ask(ctx, request{method: http.MethodGet, path: s.path("status"), kind: jsonType, tag: s.tag})
	if err != nil {
		return err
	}
	switch r.status {
	case http.StatusOK:
		s.tag, s.sale = r.header.Get("ETag"), r.answer().State
	case http.StatusNotModified, http.StatusTooManyRequests, http.StatusServiceUnavailable:
	default:
		s.unexpected("GET status", r)
	}
	return nil
}

package crowd

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// The ways to press twice.
const (
	sameKey      = 1 + iota // an impatient script: two copies at once, one key
	twoTabs                 // two at once that know nothing of each other
	cutOff                  // the first one's connection breaks before its answer
	waysToDouble = iota
)

// buttonPress is the button, by form or by script.
func (s *shopper) buttonPress(key string) request {
	if s.form {
		return request{method: http.MethodPost, path: s.BuyPath, kind: formType, key: key}
	}
	return request{method: http.MethodPost, path: s.BuyPath, kind: jsonType, body: "{}", key: key}
}

// buy presses the button with a pass in hand.
func (s *shopper) buy(ctx context.Context) step {
	key := fmt.Sprintf("%016x%016x", s.rng.Uint64(), s.rng.Uint64())
	if s.form {
		key = "" // a form has none; the door keys it by the pass
	}
	q := s.buttonPress(key)
	var r reply
	var err error
	switch s.double {
	case sameKey:
		r, err = s.buyTwice(ctx, q)
	case twoTabs:
		q.key = ""
		r, err = s.buyTwice(ctx, q)
	case cutOff:
		s.hangUp(ctx, q)
		r, err = s.ask(ctx, q)
	default:
		r, err = s.ask(ctx, q)
	}
	if err != nil {
		return s.later((*shopper).poll, 2*time.Second)
	}
	return s.pressed(ctx, r)
}

// buyTwice sends two copies at once and returns the better answer. When
// connections are short the second one follows the first.
func (s *shopper) buyTwice(ctx context.Context, q request) (reply, error) {
	if s.slots.short() {
		if r, err := s.ask(ctx, q); err == nil {
			s.reserve(r.answer())
		}
		return s.ask(ctx, q)
	}
	q.cookies = s.cookies.String()
	spread := s.rng.Float64()
	second := s.newBrowser(s.id)
	second.tls = s.browser.tls
	var other reply
	var lost error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer second.close()
		other, lost = persist(ctx, &second, q, spread)
	}()
	r, err := s.ask(ctx, q)
	<-done
	if lost != nil {
		return r, err
	}
	s.keep(other)
	s.reserve(other.answer())
	if err != nil || r.answer().Reservation == "" && other.answer().Reservation != "" {
		return other, nil
	}
	return r, nil
}

// hangUp sends a request and goes before the answer. Whether it arrived
// nobody knows; it is no problem of the door's either way.
func (s *shopper) hangUp(ctx context.Context, q request) {
	q.cookies = s.cookies.String()
	if s.browser.conn == nil && s.browser.open(ctx) != nil {
		return
	}
	_ = s.browser.write(ctx, q)
	s.browser.close()
}

// pressed is what follows from the button's answer, with a pass or without:
// somebody whose turn has come is let through on the way.
func (s *shopper) pressed(ctx context.Context, r reply) step {
	a := r.answer()
	switch r.status {
	case http.StatusOK, http.StatusCreated:
		if r.status == http.StatusCreated || a.Reservation != "" {
			s.admit(a.AdmittedAt)
		}
		s.reserve(a)
		return (*shopper).order
	case http.StatusSeeOther:
		return s.follow(ctx, r)
	case http.StatusConflict:
		if a.Status == "sold_out" {
			s.hearNo(r)
			s.told = max(r.after(), hopePoll)
			return (*shopper).hope
		}
		s.reserve(a)
		return (*shopper).order // a page is for people; the order says which no it was
	case http.StatusTooManyRequests:
		if a.Challenge != "" {
			return (*shopper).prove
		}
		switch a.State {
		case "":
			return s.later((*shopper).poll, r.after())
		case "called":
			return s.later((*shopper).claim, r.after())
		case "admitted":
			return s.later((*shopper).buy, r.after())
		}
		return s.stand(r)
	case http.StatusServiceUnavailable:
		return s.later((*shopper).poll, r.after())
	}
	s.unexpected("POST buy", r)
	return s.later((*shopper).poll, 2*time.Second)
}

// follow goes where a form's answer points: the line's page, once, and then
// the page polls.
func (s *shopper) follow(ctx context.Context, r reply) step {
	where := r.header.Get("Location")
	if !strings.HasPrefix(where, "/") {
		_, rest, _ := strings.Cut(where, "://")
		_, rest, _ = strings.Cut(rest, "/")
		where = "/" + rest
	}
	page, err := s.ask(ctx, request{method: http.MethodGet, path: where})
	if err == nil && page.status != http.StatusOK && page.status != http.StatusTooManyRequests && page.status != http.StatusServiceUnavailable {
		s.unexpected("GET line", page)
	}
	if err == nil && asks(page) {
		return (*shopper).prove
	}
	return s.later((*shopper).poll, 500*time.Millisecond)
}

package crowd

import (
	"context"
	"net/http"
)

// straight is a visit to a shop without a waitroom: one look, one press, and
// no more than Patience for both together, counted from the moment that there
// is a connection. Who runs out of it is unanswered, which is no error.
func (s *shopper) straight(ctx context.Context) {
	if err := s.browser.open(ctx); err != nil {
		if ctx.Err() == nil {
			s.problem("connect: %v", cause(err))
		}
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	s.browser.tie(ctx)
	s.entered = true
	s.visits.entered.Add(1)

	_, err := s.browser.exchange(ctx, request{method: http.MethodGet, path: s.ProductPage})
	var r reply
	if err == nil {
		q := s.buttonPress("")
		q.kind, q.cookies = jsonType, s.cookies.String()
		r, err = s.browser.exchange(ctx, q)
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.problem("POST buy: %v", cause(err))
	case r.status == http.StatusCreated:
		s.reserve(r.answer())
		s.end = held
	case r.status == http.StatusConflict:
		s.leave(r)
	default:
		s.unexpected("POST buy", r)
	}
}

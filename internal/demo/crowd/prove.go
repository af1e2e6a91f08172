package crowd

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/waitroom/waitroom/proxy/challenge"
)

// prove asks what is asked for a ticket, solves it, and shows it.
func (s *shopper) prove(ctx context.Context) step {
	r, err := s.ask(ctx, request{method: http.MethodGet, path: s.path("challenge"), kind: jsonType})
	switch {
	case err != nil:
		return s.later((*shopper).press, 2*time.Second)
	case r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable:
		return s.later((*shopper).prove, r.after())
	case r.status != http.StatusOK:
		if r.answer().State != "" {
			return s.stand(r) // too late
		}
		s.unexpected("GET challenge", r)
		return s.later((*shopper).press, r.after())
	}
	a := r.answer()
	shown, _ := json.Marshal(map[string]string{ // texts always encode
		"challenge": a.Challenge, "solution": challenge.Solve(a.Challenge, a.Bits),
	})
	return s.take(ctx, string(shown))
}

// asks reports whether a page is the one that asks, which has a script to prove with.
func asks(page reply) bool { return strings.Contains(string(page.body), `<form id="prove"`) }

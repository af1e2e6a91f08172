package e2e_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// What shoppers are like, as shares of them.
const (
	twins      = 0.1  // have the account of the one before them
	walkAway   = 0.3  // of the early buyers, never pay
	pressTwice = 0.2  // send two copies of a buy at once
	comeAgain  = 0.5  // of those whose hold has expired
	rest       = 0.4  // seconds between two looks, up to twice as long
	lostFor    = 3    // looks at an order that nobody knows, before giving it up
	earlyBuyer = 2500 // milliseconds after the draw; who buys later pays
)

// shopper is one stubborn person with one browser: goes to the other edge when
// one breaks, asks again with the same key until there is an answer, and goes
// home only when the sale is over.
type shopper struct {
	*round
	*browser
	id     int
	rng    *rand.Rand
	at     int    // which edge
	key    string // of the press under way; empty: none
	mine   string // the reservation, as last told
	bought bool   // told that the account has one already; it may be the twin's
	lost   int    // looks at an order that nobody knew
	walks  bool
	paid   bool // the shop took the money
	home   bool
}

func (r *round) newShopper(i int) *shopper {
	rng := rand.New(rand.NewPCG(r.seed, uint64(1000+i)))
	account := fmt.Sprintf("shopper-%d", i)
	if i > 0 && rng.Float64() < twins {
		account = fmt.Sprintf("shopper-%d", i-1)
	}
	return &shopper{round: r, browser: newBrowser(r.roots, account, i%2 == 0), id: i, rng: rng, at: i % len(r.edges)}
}

// live goes on until the shopper goes home or ctx ends.
func (s *shopper) live(ctx context.Context) {
	for !s.home {
		if s.mine == "" {
			s.look(ctx)
		} else {
			s.follow(ctx)
		}
		if !s.rest(ctx) {
			return
		}
	}
}

func (s *shopper) rest(ctx context.Context) bool {
	return pause(ctx, time.Duration((1+s.rng.Float64())*rest*float64(time.Second)))
}

// try sends a request to whichever edge answers. ok is false when ctx ended.
func (s *shopper) try(ctx context.Context, method, path, key string, body any) (a answer, ok bool) {
	for ctx.Err() == nil {
		edge := s.pick()
		a, cookies, err := s.send(ctx, edge.address, method, path, key, body)
		if err == nil {
			s.keep(cookies)
			s.judge(edge, method, path, a)
			return a, true
		}
		s.failed(ctx, edge, fmt.Errorf("%s %s: %w", method, path, err))
		s.at++
		if !pause(ctx, 100*time.Millisecond) {
			break
		}
	}
	return answer{}, false
}

// pick is the edge to ask now: never one that a balancer would have taken out.
func (s *shopper) pick() *server {
	if s.edges[s.at%len(s.edges)].leaving.Load() {
		s.at++
	}
	return s.edges[s.at%len(s.edges)]
}

// look asks where this shopper stands and does what follows.
func (s *shopper) look(ctx context.Context) {
	a, _ := s.try(ctx, http.MethodGet, own("me"), "", nil)
	switch a.State {
	case "none":
		s.try(ctx, http.MethodPost, own("ticket"), "", struct{}{})
	case "called":
		if a, _ := s.try(ctx, http.MethodPost, own("pass"), "", struct{}{}); a.code == http.StatusOK {
			s.told.admitted(a.AdmittedAt)
			s.buy(ctx)
		}
	case "admitted":
		s.buy(ctx)
	case "held": // an answer was lost, or somebody pressed twice
		if a, _ := s.try(ctx, http.MethodGet, own("order"), "", nil); a.code == http.StatusOK {
			s.mine = a.Reservation
		}
	case "sold_out": // for good, or are all units only held?
		a, _ := s.try(ctx, http.MethodGet, own("status"), "", nil)
		s.home = a.State == "sold_out"
	case "ended":
		s.home = true
	}
}

// buy presses the button, with the key of the last press until that is decided.
func (s *shopper) buy(ctx context.Context) {
	if s.key == "" {
		s.key = fmt.Sprintf("%016x%016x", s.rng.Uint64(), s.rng.Uint64())
	}
	var wg sync.WaitGroup
	if s.rng.Float64() < pressTwice {
		edge, cookies := s.pick(), s.cookies
		wg.Go(func() {
			other := &browser{client: s.client, cookies: cookies}
			a, _, err := other.send(ctx, edge.address, http.MethodPost, buyPath, s.key, struct{}{})
			if err != nil {
				s.failed(ctx, edge, fmt.Errorf("second copy of a buy: %w", err))
			} else if a.code == http.StatusCreated {
				s.told.yes(s.id, s.key, a.Reservation)
			}
		})
		s.cookies = copyOf(cookies)
	}
	a, _ := s.try(ctx, http.MethodPost, buyPath, s.key, struct{}{})
	wg.Wait()
	switch a.code {
	case http.StatusCreated:
		s.told.yes(s.id, s.key, a.Reservation)
		s.told.admitted(a.AdmittedAt)
		s.mine, s.key, s.bought = a.Reservation, "", false
		s.walks = time.Since(s.sale.opens) < earlyBuyer*time.Millisecond && s.rng.Float64() < walkAway
	case http.StatusConflict:
		s.key = ""
		if a.Status == "already_bought" {
			s.mine, s.bought = a.Reservation, true
		}
	}
}

// follow asks what became of the reservation and does what follows.
func (s *shopper) follow(ctx context.Context) {
	a, ok := s.try(ctx, http.MethodGet, own("order"), "", nil)
	switch {
	case !ok || a.code == http.StatusServiceUnavailable || a.code == http.StatusTooManyRequests:
	case a.code == http.StatusNotFound:
		s.missed()
	case a.code == http.StatusOK:
		s.mine, s.lost, s.bought = a.Reservation, 0, false
		s.ordered(ctx, a)
	default:
		s.fault("GET order: %d", a.code)
	}
}

// missed is an order that nobody knows: the twin's, or one that Redis forgot.
func (s *shopper) missed() {
	if s.lost++; s.lost < lostFor {
		return
	}
	if !s.bought && !s.plan.forgets {
		s.fault("shopper %d was told yes of %s, and nobody knows its order", s.id, s.mine)
	}
	s.home = s.bought
	s.mine, s.lost, s.bought = "", 0, false
}

func (s *shopper) ordered(ctx context.Context, a answer) {
	switch a.Status {
	case "finishing":
	case "held":
		if !s.walks && !s.paid {
			s.pay(ctx)
		}
	case "paid":
		s.told.paid(a.Reservation)
		s.home = true
	case "expired":
		s.mine, s.paid = "", false
		s.home = s.rng.Float64() > comeAgain
	case "refused":
		s.told.refused(a.Reservation)
		s.home = true
	case "refund_due":
		s.home = true
	default:
		s.fault("order: status %q", a.Status)
		s.home = true
	}
}

// pay goes through the shop's checkout, which reports to the worker. What does
// not arrive is paid again: it is the same payment.
func (s *shopper) pay(ctx context.Context) {
	a, _ := s.try(ctx, http.MethodPost, "/checkout/pay", "", map[string]string{"reservation": s.mine})
	s.paid = a.code == http.StatusOK || a.code == http.StatusAccepted
}

func copyOf(m map[string]string) map[string]string {
	c := make(map[string]string, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

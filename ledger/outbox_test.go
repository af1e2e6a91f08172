package ledger_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/ledger"
)

func TestRefundsAreSentUntilTaken(t *testing.T) {
	each(t, 1, func(s *shop) {
		var calls atomic.Int32
		var mu sync.Mutex
		var last map[string]any
		shop := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if !ledger.Verify(s.section.Token, time.Now(), r.Header.Get("Waitroom-Signature"), body) {
				t.Error("the signature is wrong")
			}
			if r.Header.Get("Idempotency-Key") != "p2" {
				t.Errorf("Idempotency-Key: got %q, want p2", r.Header.Get("Idempotency-Key"))
			}
			mu.Lock()
			defer mu.Unlock()
			last = map[string]any{}
			_ = json.Unmarshal(body, &last)
			if calls.Add(1) == 1 {
				rw.WriteHeader(http.StatusBadGateway)
			}
		}))
		defer shop.Close()
		section := s.section
		section.RefundURL = configs.NewSecret(shop.URL + "/refunds?key=secret")
		w := s.newWorker(section)

		s.open()
		id := s.buy("ann")
		s.wantPaid(id, "p1", 200, "paid")
		s.wantPaid(id, "p2", 200, "refund_due")
		if err := w.SendRefunds(s.Context()); err == nil || !strings.Contains(err.Error(), `refund "p2", attempt 1: `) {
			s.Errorf("refused refund: got %v, want which", err)
		}
		check(s.TB, w.SendRefunds(s.Context())) // not due again yet
		if n := calls.Load(); n != 1 {
			s.Errorf("calls before the backoff is over: got %d, want 1", n)
		}
		check(s.TB, s.books.Hasten(s.Context()))
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if err := w.SendRefunds(s.Context()); err != nil {
					s.Error(err)
				}
			})
		}
		all.Wait()
		if n := calls.Load(); n != 2 {
			s.Errorf("calls: got %d, want 2", n)
		}
		if last["reservation"] != id || last["amount"] != "19.9" || last["currency"] != "EUR" || last["reason"] != "second payment" {
			s.Errorf("refund: got %v", last)
		}
		s.wantCount(1, `SELECT COUNT(*) FROM refunds WHERE sent_at IS NOT NULL AND attempts = 2`)
		s.wantCount(1, `SELECT COUNT(*) FROM journal WHERE cause = 'refunded' AND reservation_id = $1`, id)
	})
}

func TestBackoffGrowsAndEnds(t *testing.T) {
	t.Parallel()
	for attempt, want := range map[int]time.Duration{1: 2 * time.Second, 2: 4 * time.Second, 5: 32 * time.Second, 30: 10 * time.Minute, 1000: 10 * time.Minute} {
		if got := ledger.Backoff(attempt); got < want*3/4 || got > want*5/4 {
			t.Errorf("backoff(%d): got %v, want %v give or take a quarter", attempt, got, want)
		}
	}
}

func TestRetryAfterIsSecondsOrAnInstant(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	for said, want := range map[string]time.Duration{
		"": 0, "0": 0, "90": 90 * time.Second, "-1": 0, "1.5": 0, "soon": 0, "18446744073709551615": time.Hour,
		"Fri, 27 Nov 2026 10:05:00 GMT": 5 * time.Minute, "Fri, 27 Nov 2026 09:00:00 GMT": -time.Hour,
	} {
		if got := ledger.RetryAfter(http.Header{"Retry-After": {said}}, now); got != want {
			t.Errorf("%q: got %v, want %v", said, got, want)
		}
	}
}

// A shop that asks to be left alone is, for as long as it asks within bounds.
func TestRetryAfterIsHeeded(t *testing.T) {
	each(t, 10, func(s *shop) {
		s.open()
		for _, c := range []struct {
			asks        string
			least, most time.Duration
		}{
			{"", 1500 * time.Millisecond, 2500 * time.Millisecond},
			{"nonsense", 1500 * time.Millisecond, 2500 * time.Millisecond},
			{"1", 2 * time.Second, 2500 * time.Millisecond},
			{"120", 120 * time.Second, 150 * time.Second},
			{"999999999", time.Hour, 75 * time.Minute},
		} {
			s.overpaid("p" + c.asks)
			busy := newTill(s.TB, func(rw http.ResponseWriter, _ *http.Request) {
				if c.asks != "" {
					rw.Header().Set("Retry-After", c.asks)
				}
				rw.WriteHeader(http.StatusTooManyRequests)
			})
			if err := s.sender(busy.URL).SendRefunds(s.Context()); err == nil {
				s.Errorf("%q: no error", c.asks)
			}
			wait, err := s.books.Rests(s.Context(), "p"+c.asks)
			check(s.TB, err)
			if wait < c.least-time.Second || wait > c.most { // a second has passed at most
				s.Errorf("%q: rests %v, want %v to %v", c.asks, wait, c.least, c.most)
			}
			check(s.TB, s.books.Hasten(s.Context()))
			check(s.TB, s.sender(newTill(s.TB, says(200)).URL).SendRefunds(s.Context()))
		}
	})
}

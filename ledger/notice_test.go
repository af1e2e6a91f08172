package ledger_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/ledger"
)

// beside returns the shop as seen through a second worker.
func (s *shop) beside() *shop {
	s.Helper()
	section := s.section
	section.Name = "two"
	other := *s
	other.section, other.worker = section, s.newWorker(section)
	other.api = ledger.NewAPI(other.worker, section.Token)
	return &other
}

// tally counts answers that come at once.
type tally struct {
	mu   sync.Mutex
	said map[string]int
}

func (t *tally) add(answer string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.said == nil {
		t.said = make(map[string]int)
	}
	t.said[answer]++
}

// atOnce lets n callers go, turn by turn through one worker and the other, and
// counts what they were told.
func (s *shop) atOnce(n int, call func(s *shop, i int) string) map[string]int {
	var said tally
	var all sync.WaitGroup
	begin := make(chan struct{})
	workers := []*shop{s, s.beside()}
	for i := range n {
		all.Go(func() {
			<-begin
			said.add(call(workers[i%2], i))
		})
	}
	close(begin)
	all.Wait()
	return said.said
}

func TestTwentyCopiesOverTwoWorkers(t *testing.T) {
	each(t, 4, func(s *shop) {
		s.open()
		held, ended := s.buy("held"), s.buy("ended")
		s.ask("POST", "/v1/orders/"+ended+"/cancel", "")
		early, err := s.reserve("early")
		check(s.TB, err)
		for _, id := range []string{held, ended, early} {
			want := map[string]int{"200 paid": 20}
			if id == early {
				want = map[string]int{"202 finishing": 20}
			}
			got := s.atOnce(20, func(s *shop, _ int) string { return s.said(id, "p-"+id, `"amount":5`) })
			if fmt.Sprint(got) != fmt.Sprint(want) {
				s.Errorf("got %v, want %v", got, want)
			}
		}
		s.drain()
		got := s.atOnce(20, func(s *shop, _ int) string { return s.said(early, "p-"+early, `"amount":5`) })
		if got["200 paid"] != 20 {
			s.Errorf("early, afterwards: got %v, want all paid", got)
		}
		s.wantCount(3, `SELECT COUNT(*) FROM payments`)
		s.wantCount(3, `SELECT COUNT(*) FROM journal WHERE cause IN ('paid', 'reheld')`)
		s.wantCount(0, `SELECT COUNT(*) FROM refunds`)
		s.wantCounts(0, 3)
		s.wantLeft(1)
		s.wantAgree()
	})
}

// Two bodies under one id: the first one counts, and the other is refused, while
// the first is under way as well as afterwards.
func TestSamePaymentWithAnotherBody(t *testing.T) {
	each(t, 9, func(s *shop) {
		s.open()
		for i := range 4 {
			id := s.buy(fmt.Sprint("account", i))
			if i%2 == 1 {
				s.ask("POST", "/v1/orders/"+id+"/cancel", "")
			}
			got := s.atOnce(12, func(s *shop, n int) string {
				return s.said(id, fmt.Sprint("p", i), fmt.Sprintf(`"amount":%d`, n/2%2+1))
			})
			if got["200 paid"] != 6 || got["409"] != 6 {
				s.Errorf("got %v, want 6 paid and 6 refused", got)
			}
		}
		early, err := s.reserve("early")
		check(s.TB, err)
		got := s.atOnce(12, func(s *shop, n int) string { return s.said(early, "p", fmt.Sprintf(`"amount":%d`, n/2%2+1)) })
		if got["202 finishing"] != 6 || got["409"] != 6 {
			s.Errorf("early: got %v, want 6 kept and 6 refused", got)
		}
		s.drain()
		s.wantCounts(0, 5)
		s.wantCount(5, `SELECT COUNT(*) FROM payments`)
		s.wantCount(0, `SELECT COUNT(*) FROM refunds`)
		s.wantAgree()
	})
}

func TestTwoPaymentsForOneOrderAtOnce(t *testing.T) {
	each(t, 9, func(s *shop) {
		s.open()
		for i := range 6 {
			id, err := s.reserve(fmt.Sprint("account", i))
			check(s.TB, err)
			early := i%3 == 2
			if !early {
				s.drain()
			}
			if i%3 == 1 {
				s.ask("POST", "/v1/orders/"+id+"/cancel", "")
			}
			call := func(s *shop, n int) string { return s.said(id, fmt.Sprint(i, "-", n), `"amount":5`) }
			got := s.atOnce(2, call)
			if early {
				s.drain()
				got = s.atOnce(2, call)
			}
			if got["200 paid"] != 1 || got["200 refund_due"] != 1 {
				s.Errorf("got %v, want one paid and one refund_due", got)
			}
			s.wantStatus(id, "paid")
		}
		s.wantCounts(0, 6)
		s.wantLeft(3)
		s.wantCount(6, `SELECT COUNT(*) FROM refunds WHERE reason IN ('second payment')`)
		s.wantAgree()
	})
}

// Around the instant at which holds run out, two sweepers and the payers pull at
// the same orders. Whoever changes an order's row has it.
func TestPaymentAtTheDeadline(t *testing.T) {
	for _, late := range []configs.LatePayment{configs.Rehold, configs.Refund} {
		t.Run(string(late), func(t *testing.T) {
			const n = 24
			each(t, n, func(s *shop) {
				s.sale.LatePayment = late
				s.open()
				ids := make([]string, n)
				for i := range ids {
					ids[i] = s.buy(fmt.Sprint("account", i))
				}
				check(s.TB, s.books.RipenAt(s.Context(), s.sale.Key, 300*time.Millisecond, 10*time.Millisecond))
				var stop atomic.Bool
				var sweepers sync.WaitGroup
				for _, w := range []*shop{s, s.beside()} {
					sweepers.Go(func() {
						for !stop.Load() {
							if _, err := w.worker.Sweep(s.Context()); err != nil {
								s.Error(err)
							}
						}
					})
				}
				got := s.atOnce(n, func(s *shop, i int) string {
					time.Sleep(time.Duration(300+10*i) * time.Millisecond) // the instant of this one
					return s.said(ids[i], fmt.Sprint("p", i), `"amount":5`)
				})
				stop.Store(true)
				sweepers.Wait()
				s.sweep()
				if got["200 paid"]+got["200 refund_due"] != n || late == configs.Rehold && got["200 paid"] != n {
					s.Errorf("got %v, want all paid, or some due back where late money always is", got)
				}
				s.wantCounts(0, got["200 paid"])
				s.wantLeft(n - got["200 paid"])
				s.wantCount(got["200 refund_due"], `SELECT COUNT(*) FROM refunds`)
				s.wantCount(0, `SELECT COUNT(*) FROM sale_orders WHERE status = 'EXPIRED' AND released_at IS NULL`)
				s.wantAgree()
			})
		})
	}
}

// The state follows what happened to the order, not how often or when the shop
// speaks of it.
func TestNoticesInTheWrongOrder(t *testing.T) {
	each(t, 9, func(s *shop) {
		s.open()
		cancel := func(id string) string {
			code, body := s.ask("POST", "/v1/orders/"+id+"/cancel", "")
			return fmt.Sprint(code, " ", body["status"])
		}
		// Cancelled, then paid: the money came late.
		a := s.buy("ann")
		if got := cancel(a); got != "200 cancelled" {
			s.Errorf("cancel: got %s", got)
		}
		s.wantPaid(a, "pa", 200, "paid")
		// Paid, then an older cancellation: it is too late.
		for range 2 {
			if got := cancel(a); got != "409 <nil>" {
				s.Errorf("cancel what is paid: got %s", got)
			}
		}
		s.wantStatus(a, "paid")

		// A refund that was taken, then the notice again: nothing more comes of it.
		s.wantPaid(a, "pa2", 200, "refund_due")
		_, err := s.books.DB().ExecContext(s.Context(), `UPDATE refunds SET sent_at = due_at`)
		check(s.TB, err)
		s.wantPaid(a, "pa2", 200, "refund_due")
		s.wantPaid(a, "pa", 200, "paid")
		s.wantCount(1, `SELECT COUNT(*) FROM refunds`)

		// Due back, for nothing was left; then a unit is, and another payment comes.
		var others []string
		b := s.buy("bob")
		s.expire()
		for i := range 8 {
			others = append(others, s.buy(fmt.Sprint("other", i)))
		}
		s.wantPaid(b, "pb", 200, "refund_due")
		cancel(others[0])
		s.wantPaid(b, "pb", 200, "refund_due") // decided is decided
		s.wantPaid(b, "pb2", 200, "paid")
		s.wantPaid(b, "pb", 200, "refund_due")
		s.wantNote(b, gate.Paid)
		s.wantCount(2, `SELECT COUNT(*) FROM refunds`)
		s.wantCounts(7, 2)
		s.wantLeft(0)
		s.wantAgree()
	})
}

// The order was cancelled, and its shopper has another one by now: an account has
// one live order, so the money is due back.
func TestLatePaymentBesideAnotherOrder(t *testing.T) {
	each(t, 9, func(s *shop) {
		s.open()
		first := s.buy("ann")
		s.ask("POST", "/v1/orders/"+first+"/cancel", "")
		second := s.buy("ann")
		s.wantPaid(first, "p1", 200, "refund_due")
		s.wantNote(first, gate.RefundDue)
		s.wantNote(second, gate.Held)
		s.wantPaid(second, "p2", 200, "paid")
		s.wantCounts(0, 1)
		s.wantLeft(8)
		s.wantAgree()
	})
}

// A sale that has left the file may have winners on their way, and money for them.
func TestNoticeForASaleThatHasLeft(t *testing.T) {
	each(t, 2, func(s *shop) {
		s.open()
		id, err := s.reserve("ann")
		check(s.TB, err)
		s.worker.Apply(nil)
		s.wantStatus(id, "finishing")
		s.wantPaid(id, "p1", 202, "finishing")
		s.drain()
		s.wantStatus(id, "paid")

		check(s.TB, s.books.Bygone(s.Context(), s.sale.Key))
		late, err := s.reserve("bob") // at a gate that nobody keeps any more
		check(s.TB, err)
		s.wantPaid(late, "p2", 404, nil)
	})
}

// What Redis forgot before the worker read it nobody knows: the shop is told to give
// the money back.
func TestNoticeForAForgottenYes(t *testing.T) {
	each(t, 2, func(s *shop) {
		s.open()
		id, err := s.reserve("ann")
		check(s.TB, err)
		check(s.TB, s.rdb.FlushAll(s.Context()).Err())
		s.open()
		code, body := s.ask("POST", "/v1/orders/"+id+"/paid", `{"payment_id":"p1"}`)
		if want := "no such reservation; nothing is kept of this payment, so give back what was paid"; code != 404 || body["error"] != want {
			s.Errorf("got %d %v, want 404 %s", code, body, want)
		}
		s.wantCount(0, `SELECT COUNT(*) FROM early_payments`)
	})
}

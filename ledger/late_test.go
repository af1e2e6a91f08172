package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/ledger"
)

func TestBrokenBooksAreNotAnUnknownReservation(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.open()
		id := s.buy("ann")
		s.expire()
		check(s.TB, s.books.Close())
		if err := s.worker.PayLate(s.Context(), s.sale, id, "p1"); err == nil || errors.Is(err, ledger.ErrUnknown) {
			s.Errorf("late payment: got %v, want the fault of the books alone", err)
		}
		for _, c := range []struct{ method, path string }{
			{"POST", "/paid"}, {"POST", "/cancel"}, {"GET", ""},
		} {
			if code, body := s.ask(c.method, "/v1/orders/"+id+c.path, `{"payment_id":"p1"}`); code != 503 {
				s.Errorf("%s %s: got %d %v, want 503", c.method, c.path, code, body)
			}
		}
	})
}

func TestOnePaymentForTwoLateOrdersTakesOneUnit(t *testing.T) {
	each(t, 20, func(s *shop) {
		s.open()
		for i := range 10 {
			ids := []string{s.buy(fmt.Sprint("ann", i)), s.buy(fmt.Sprint("bob", i))}
			s.expire()
			var all sync.WaitGroup
			codes := make([]int, len(ids))
			for n, id := range ids {
				all.Go(func() { codes[n], _ = s.pay(id, fmt.Sprint("p", i)) })
			}
			all.Wait()
			if codes[0]+codes[1] != 200+409 {
				s.Errorf("got %d, want one 200 and one 409", codes)
			}
			s.wantCounts(0, i+1)
			s.wantLeft(20 - i - 1) // at once, not when the reconciler comes by
		}
		s.wantAgree()
	})
}

// A late payment that the gate could not answer has its id, and is applied by
// itself, however long the gate stays closed.
func TestLatePaymentWaitsForTheGate(t *testing.T) {
	each(t, 2, func(s *shop) {
		s.open()
		a, b := s.buy("ann"), s.buy("bob")
		s.expire()
		check(s.TB, s.gate.Close(s.Context(), "test"))
		if code, _ := s.pay(a, "p1"); code != 503 {
			s.Errorf("late payment at a closed gate: got %d, want 503", code)
		}
		if code, _ := s.pay(b, "p1"); code != 409 {
			s.Errorf("the same payment for another reservation: got %d, want 409", code)
		}
		check(s.TB, s.books.RipenEarly(s.Context()))
		s.sweep()
		s.wantCount(0, `SELECT COUNT(*) FROM refunds`)
		s.open()
		if done := s.sweep(); done.Applied != 1 {
			s.Errorf("applied: got %d, want 1", done.Applied)
		}
		s.wantPaid(a, "p1", 200, "paid")
		s.wantCount(0, `SELECT COUNT(*) FROM early_payments`)
		s.wantCounts(0, 1)
		s.wantLeft(1)
		s.wantAgree()
	})
}

// A rebuild that comes between the gate and the books knows nothing of a unit that
// was taken again: it is asked for anew, and nobody loses the one that they got.
func TestLatePaymentMeetsARebuild(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		buyer         bool // somebody else takes the unit
		status        string
		pending, paid int
	}{
		{"unit taken", true, "refund_due", 1, 0},
		{"unit free", false, "paid", 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, 1, func(s *shop) {
				s.open()
				id := s.buy("ann")
				s.expire()
				ctx := context.WithoutCancel(s.Context())
				other := s.watched(func() bool {
					return s.rdb.HExists(ctx, s.key("receipts"), gate.HoldID(id, 2)).Val()
				}, func() {
					check(s.TB, s.gate.Close(ctx, "test"))
					s.open()
					if c.buyer {
						_, err := s.reserve("bob")
						check(s.TB, err)
					}
				})
				w := s.newWorkerOf(s.section, func(context.Context, string) (*gate.Gate, error) { return other, nil })
				s.api = ledger.NewAPI(w, s.section.Token)
				s.wantPaid(id, "p1", 200, c.status)
				s.drain()
				s.wantCount(0, `SELECT COUNT(*) FROM refusals`)
				s.wantCounts(c.pending, c.paid)
				s.wantLeft(0)
				s.wantAgree()
			})
		})
	}
}

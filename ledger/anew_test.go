package ledger_test

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/gate"
)

// wantStream compares how many winners are on their way.
func (s *shop) wantStream(want int) {
	s.Helper()
	snap, err := s.gate.Look(s.Context())
	check(s.TB, err)
	if snap.Backlog != want {
		s.Errorf("on their way: got %d, want %d", snap.Backlog, want)
	}
}

// mend reconciles and returns the balance.
func (s *shop) mend() {
	s.Helper()
	_, err := s.worker.Reconcile(s.Context(), s.sale, true)
	check(s.TB, err)
}

// wantHeld waits for so many orders, and checks that each shopper was told.
func (s *shop) wantHeld(ids []string) {
	s.Helper()
	s.soonIn(12*time.Second, "every order", func() bool { // before a reconciler would come by itself
		c, err := s.books.Counts(s.Context(), s.sale.Key)
		check(s.TB, err)
		return c.Pending == len(ids)
	})
	s.soon("an empty stream", func() bool {
		snap, err := s.gate.Look(s.Context())
		return err == nil && snap.Backlog == 0
	})
	for _, id := range ids {
		s.wantNote(id, gate.Held)
	}
	s.wantAgree()
}

// Somebody deletes the stream, its group, or what is in it, while fifty winners are
// on their way: fifty orders.
func TestStreamThatIsDeleted(t *testing.T) {
	for name, spoil := range map[string]func(*shop) error{
		"stream": func(s *shop) error { return s.rdb.Del(s.Context(), s.stream()).Err() },
		"group":  func(s *shop) error { return s.rdb.XGroupDestroy(s.Context(), s.stream(), "ledger").Err() },
		"entries": func(s *shop) error { // and the next read finds nothing wrong
			check(s.TB, s.rdb.XTrimMaxLen(s.Context(), s.stream(), 0).Err())
			s.mend()
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, 60, func(s *shop) {
				s.section.OrdersPerSecond = 20
				s.begin(1)
				s.open()
				ids := s.reserveAll(50)
				s.run(s.worker)
				s.soon("the first orders", func() bool {
					return s.count(`SELECT COUNT(*) FROM sale_orders WHERE sale = $1`, s.sale.Key) > 0
				})
				check(s.TB, spoil(s))
				s.wantHeld(ids)
				s.wantLeft(10)
			})
		})
	}
}

// No worker runs, the stream is gone, and the gate has to be rebuilt.
func TestWinnersThatWereLostBeforeARebuild(t *testing.T) {
	each(t, 60, func(s *shop) {
		s.begin(3)
		s.open()
		ids := s.reserveAll(50)
		for i := range 3 {
			check(s.TB, s.rdb.Del(s.Context(), "wr:{"+gate.Tag(s.sale.Key, i)+"}:winners").Err())
		}
		check(s.TB, s.gate.Close(s.Context(), "test"))
		for range 3 {
			check(s.TB, s.keep(s.Context()))
		}
		s.wantStream(50)
		s.drain()
		s.open()
		s.wantHeld(ids)
		s.wantLeft(10)
	})
}

// Whose time to pay was over when it was found is refused and told so, its money is
// due back, and its unit is on sale again.
func TestLostWinnerWhoseTimeIsOver(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.sale.Hold = 300 * time.Millisecond
		s.open()
		id, err := s.reserve("ann")
		check(s.TB, err)
		s.wantPaid(id, "p1", 202, "finishing")
		check(s.TB, s.rdb.Del(s.Context(), s.stream()).Err())
		time.Sleep(s.sale.Hold)
		s.mend()
		s.mend()
		s.wantLeft(5)
		s.wantCounts(0, 0)
		s.wantCount(1, `SELECT COUNT(*) FROM refusals WHERE reservation_id = $1 AND reason = 'overdue'`, id)
		s.sweep()
		s.wantNote(id, gate.RefundDue)
		s.wantPaid(id, "p2", 200, "refund_due")
		s.wantAgree()
	})
}

// A worker had it in hand, and writes it after all.
func TestLostWinnerThatComesAfterAll(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		id, err := s.reserve("ann")
		check(s.TB, err)
		entries, err := s.rdb.XRange(s.Context(), s.stream(), "-", "+").Result()
		check(s.TB, err)
		check(s.TB, s.rdb.Del(s.Context(), s.stream()).Err())
		s.mend()
		s.wantStream(1)
		s.forge(entries[0].Values)
		s.drain()
		s.wantPaid(id, "p1", 200, "paid")
		s.wantCounts(0, 1)
		s.wantLeft(4)
		s.mend()
		s.wantStream(0)
		s.wantAgree()
	})
}

// Winners that a worker had in hand when Redis forgot all, and wrote when the gate
// was rebuilt without them: what books and gate have apart is mended at once.
func TestWinnersInHandOverARebuild(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.section.OrdersPerSecond = 1
		s.begin(1)
		s.open()
		ids := s.reserveAll(3)
		s.run(s.worker)
		s.soon("all in hand", func() bool {
			p, err := s.rdb.XPending(s.Context(), s.stream(), "ledger").Result()
			return err == nil && int(p.Count)+s.count(`SELECT COUNT(*) FROM sale_orders WHERE sale = $1`, s.sale.Key) >= 3
		})
		check(s.TB, s.rdb.FlushAll(s.Context()).Err())
		s.soonIn(12*time.Second, "agreement", func() bool { // before a reconciler would come by itself
			a, err := s.worker.Reconcile(s.Context(), s.sale, false)
			return err == nil && a.Agree && a.Held == 3
		})
		for _, id := range ids {
			s.wantNote(id, gate.Held)
		}
	})
}

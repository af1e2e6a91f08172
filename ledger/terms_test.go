package ledger_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/ledger"
)

// wantTerms compares what is in force of the sale by the books.
func (s *shop) wantTerms(found []configs.Terms, price string, buckets int) configs.Terms {
	s.Helper()
	for _, t := range found {
		if t.Key == s.sale.Key {
			if t.Price.String() != price || t.Buckets != buckets {
				s.Errorf("in force: %q and %d buckets, want %q and %d", t.Price, t.Buckets, price, buckets)
			}
			return t
		}
	}
	s.Errorf("nothing is in force of %s: %v", s.sale.Key, found)
	return configs.Terms{}
}

// rival is a worker that has another file of the sale, and a step of its keeper.
func (s *shop) rival(change func(*configs.Sale)) (*ledger.Worker, func(context.Context) error) {
	s.Helper()
	sale := *s.sale
	change(&sale)
	w, err := ledger.NewWorker(s.section, []*configs.Sale{&sale}, s.books,
		func(context.Context, string) (*gate.Gate, error) { return s.gate, nil }, prometheus.NewRegistry(), s.log)
	check(s.TB, err)
	return w, w.Keeper(s.sale.Key)
}

// TestTermsOfAnOpenSaleStand: a worker with another file changes none of them, but
// for the closing and fewer invitations.
func TestTermsOfAnOpenSaleStand(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.sale.Invitations = 9
		s.costs("19.90 EUR")
		closes := s.sale.Closes.Add(time.Hour)
		w, keep := s.rival(func(sale *configs.Sale) {
			sale.Price, sale.Buckets, sale.Mix, sale.Closes, sale.Invitations = money(s.TB, "29.90 EUR"), 4, "a block", closes, 3
		})
		check(s.TB, keep(s.Context()))
		found, err := w.InForce(s.Context())
		check(s.TB, err)
		got := s.wantTerms(found, "19.90 EUR", 1)
		if got.Mix != "" || got.Invitations != 3 || !got.Closes.Equal(closes.Truncate(time.Millisecond)) || !got.Doors.Equal(s.sale.Doors.Truncate(time.Millisecond)) {
			s.Errorf("in force: %+v", got)
		}
		_, keep = s.rival(func(sale *configs.Sale) { sale.Invitations = 7 })
		check(s.TB, keep(s.Context()))
		_, keep = s.rival(func(sale *configs.Sale) { // the next sale, too early
			sale.Doors, sale.Opens, sale.Closes = sale.Doors.Add(90*time.Hour), sale.Opens.Add(90*time.Hour), sale.Closes.Add(90*time.Hour)
		})
		check(s.TB, keep(s.Context()))
		found, err = s.books.OpenTerms(s.Context())
		check(s.TB, err)
		if got := s.wantTerms(found, "19.90 EUR", 1); got.Invitations != 3 || got.Closes.After(closes) {
			s.Errorf("in force after all: %+v", got)
		}
		id := s.buy("ann")
		s.wantCount(1, `SELECT COUNT(*) FROM sale_orders WHERE reservation_id = $1 AND currency = 'EUR'`, id)
		if code, body := s.ask("GET", "/v1/orders/"+id, ""); code != 200 || body["amount"] != "19.90" {
			s.Errorf("an order costs: %d %v, want 19.90", code, body)
		}
	})
}

// TestTermsBeforeTheDoors: the file that comes last holds, also for those that were
// there before, so that no two rebuild each other's gate.
func TestTermsBeforeTheDoors(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.sale.Doors, s.sale.Opens = time.Now().Add(30*time.Second), time.Now().Add(time.Minute)
		s.costs("19.90 EUR")
		w, keep := s.rival(func(sale *configs.Sale) { sale.Price, sale.Buckets = money(s.TB, "29.90 EUR"), 4 })
		found, err := w.InForce(s.Context())
		check(s.TB, err)
		if len(found) != 0 {
			s.Errorf("in force before it has had its say: %v", found)
		}
		check(s.TB, keep(s.Context()))
		check(s.TB, s.keep(s.Context()))
		for _, w := range []*ledger.Worker{w, s.worker} {
			found, err := w.InForce(s.Context())
			check(s.TB, err)
			s.wantTerms(found, "29.90 EUR", 4)
		}
		if open, err := s.books.OpenTerms(s.Context()); err != nil || len(open) != 0 {
			s.Errorf("open before the doors: %v, %v", open, err)
		}
	})
}

// TestAdopt: books of a version without terms get those of gate and stock, not those
// of the file.
func TestAdopt(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.costs("19.90 EUR")
		check(s.TB, s.books.Bare(s.Context(), s.sale.Key))
		other := *s.sale
		other.Price, other.Buckets = money(s.TB, "29.90 EUR"), 4
		built := func(context.Context) (int, error) { return gate.Built(s.Context(), s.rdb, s.sale.Key) }
		for range 2 { // the second finds it done
			check(s.TB, s.books.Adopt(s.Context(), &other, built))
			other.Price = money(s.TB, "39.90 EUR")
		}
		found, err := s.books.OpenTerms(s.Context())
		check(s.TB, err)
		s.wantTerms(found, "19.90 EUR", 1)
	})
}

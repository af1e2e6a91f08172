package ledger_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

// second adds another sale to a shop's worker, with a gate that sells.
func (s *shop) second() *shop {
	s.Helper()
	key := s.sale.Key + "-second"
	other := *s
	other.sale, other.gate = liveSale(key, s.sale.Stock), gate.New(s.rdb, key, 1)
	other.keep = s.worker.Keeper(key)
	s.worker.Apply([]*configs.Sale{s.sale, other.sale})
	other.open()
	return &other
}

// breakGate makes the key wrong in which a gate keeps its receipts or notes.
func (s *shop) breakGate(name string) {
	s.Helper()
	check(s.TB, s.rdb.Del(s.Context(), s.key(name)).Err())
	check(s.TB, s.rdb.Set(s.Context(), s.key(name), "not a hash", 0).Err())
}

func TestBrokenGateHoldsUpNoOtherSale(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		other := s.second()
		s.buy("ann")
		id := other.buy("bob")
		check(s.TB, s.books.Ripen(s.Context(), s.sale.Key))
		check(s.TB, s.books.Ripen(s.Context(), other.sale.Key))
		s.breakGate("receipts")
		s.breakGate("notes")
		if _, err := s.worker.Sweep(s.Context()); err == nil {
			s.Error("sweep with a broken gate: no error")
		}
		other.wantNote(id, gate.Expired)
		other.wantLeft(5)
	})
}

// More than a batch of notes that cannot be told must not starve the others.
func TestUntoldNotesStarveNobody(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		other := s.second()
		for i := range 600 { // they stand before the other's
			_, err := s.books.DB().ExecContext(s.Context(), `INSERT INTO refusals (reservation_id, sale, account, qty, reason)
				VALUES ($1, $2, $3, 1, 'leaked')`, uuid.NewString(), s.sale.Key, fmt.Sprint("account", i))
			check(s.TB, err)
		}
		s.breakGate("notes")
		id := uuid.NewString()
		_, err := s.books.DB().ExecContext(s.Context(), `INSERT INTO refusals (reservation_id, sale, account, qty, reason)
			VALUES ($1, $2, 'bob', 1, 'leaked')`, id, other.sale.Key)
		check(s.TB, err)
		if _, err := s.worker.Sweep(s.Context()); err == nil {
			s.Error("sweep with a broken gate: no error")
		}
		other.wantNote(id, gate.Refused)
	})
}

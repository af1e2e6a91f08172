package ledger_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

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

// breakGate takes the gate away from the shop's worker; those of others stay.
func (s *shop) breakGate(others ...*configs.Sale) {
	s.Helper()
	away := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1})
	s.Cleanup(func() { check(s.TB, away.Close()) })
	s.worker = s.newWorkerOf(s.section, func(_ context.Context, key string) (*gate.Gate, error) {
		if key == s.sale.Key {
			return gate.New(away, key, 1), nil
		}
		return gate.New(s.rdb, key, 1), nil
	})
	s.worker.Apply(append([]*configs.Sale{s.sale}, others...))
}

func TestBrokenGateHoldsUpNoOtherSale(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		other := s.second()
		s.buy("ann")
		id := other.buy("bob")
		check(s.TB, s.books.Ripen(s.Context(), s.sale.Key))
		check(s.TB, s.books.Ripen(s.Context(), other.sale.Key))
		s.breakGate(other.sale)
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
		s.breakGate(other.sale)
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

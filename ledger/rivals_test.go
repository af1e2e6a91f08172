package ledger_test

import (
	"context"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/ledger"
)

// TestAnotherGateIsNamed: two gates that are kept from the same books outdate each
// other for ever, and each worker says why, once. Two workers on one gate do not.
func TestAnotherGateIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ redis, lines int }{"two Redis": {2, 2}, "one Redis": {1, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			books, err := ledger.OpenPostgres(configs.NewSecret(testserver.Postgres(t)))
			check(t, err)
			s := newShop(t, books, testserver.MiniURL(testserver.Mini(t)), 5)
			core, logs := observer.New(zapcore.InfoLevel)
			s.log = zap.New(core)
			s.begin(1)
			other := s.gate
			if c.redis == 2 {
				rdb := redis.NewClient(&redis.Options{Addr: testserver.Mini(t).Addr(), MaxRetries: -1})
				t.Cleanup(func() { check(t, rdb.Close()) })
				other = gate.New(rdb, s.sale.Key, 1)
			}
			section := s.section
			section.Name = "two"
			w := s.newWorkerOf(section, func(context.Context, string) (*gate.Gate, error) { return other, nil })
			theirs := w.Keeper(s.sale.Key)
			for range 10 {
				check(t, s.keep(t.Context()))
				check(t, theirs(t.Context()))
				if c.redis == 1 { // else nothing would have to be rebuilt
					check(t, other.Close(t.Context(), "test"))
				}
			}
			named := 0
			for _, line := range logs.All() {
				if strings.HasPrefix(line.Message, "another gate claims this sale") {
					named++
				}
			}
			if named != c.lines {
				t.Errorf("lines that name another gate: got %d, want %d", named, c.lines)
			}
		})
	}
}

package ledger_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/ledger"
)

func onPostgres(t testing.TB, postgresURL, redisURL string, stock int) *shop {
	books, err := ledger.OpenPostgres(configs.NewSecret(postgresURL))
	check(t, err)
	return newShop(t, books, redisURL, stock)
}

func TestPostgresIsDownForAWhile(t *testing.T) {
	t.Parallel()
	server := testserver.StartPostgres(t)
	s := onPostgres(t, server.URL, testserver.Redis(t), 50)
	core, lines := observer.New(zap.ErrorLevel)
	s.log = zap.New(core)
	s.run(s.newWorker(s.section))
	s.soon("an open gate", func() bool { snap, _ := s.gate.Look(s.Context()); return snap.Open() })

	for i := range 20 { // in the middle of which the server dies
		_, err := s.reserve(fmt.Sprint("early", i))
		check(t, err)
		if i == 10 {
			server.Kill()
		}
	}
	began := time.Now()
	for i := range 20 { // selling goes on
		_, err := s.reserve(fmt.Sprint("meanwhile", i))
		check(t, err)
	}
	s.soon("an outage that is felt", func() bool { return lines.Len() >= 3 })
	if n, most := lines.Len(), int(time.Since(began).Seconds())+2; n > most {
		t.Errorf("error lines: got %d, want at most %d, one a second", n, most)
	}
	server.Start()
	s.soon("all orders", func() bool {
		c, err := s.books.Counts(s.Context(), s.sale.Key)
		return err == nil && c.Pending == 40
	})
	s.soon("an empty stream", func() bool { snap, _ := s.gate.Look(s.Context()); return snap.Backlog == 0 })
	s.wantCounts(40, 0)
	s.wantAgree()
}

func TestPostgresCutsConnections(t *testing.T) {
	t.Parallel()
	url := testserver.Postgres(t)
	s := onPostgres(t, url, testserver.Redis(t), 300)
	s.run(s.worker)
	s.soon("an open gate", func() bool { snap, _ := s.gate.Look(s.Context()); return snap.Open() })
	cutter, err := pgx.Connect(s.Context(), url)
	check(t, err)
	defer func() { _ = cutter.Close(s.Context()) }()
	for i := range 300 {
		_, err := s.reserve(fmt.Sprint("account", i))
		check(t, err)
		if i%20 == 0 {
			_, err := cutter.Exec(s.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid()`)
			check(t, err)
		}
	}
	s.soon("all orders", func() bool {
		c, err := s.books.Counts(s.Context(), s.sale.Key)
		return err == nil && c.Pending == 300
	})
	s.soon("an empty stream", func() bool { snap, _ := s.gate.Look(s.Context()); return snap.Backlog == 0 })
	s.wantCounts(300, 0)
	s.wantAgree()
}

// Every kind of move at once, at the level at which Postgres throws most of them
// out: sums stay exact, and nothing is dropped.
func TestSerializable(t *testing.T) {
	t.Parallel()
	s := onPostgres(t, testserver.Postgres(t)+"&default_transaction_isolation=serializable", testserver.Redis(t), 60)
	var level string
	check(t, s.books.DB().QueryRowContext(s.Context(), `SHOW transaction_isolation`).Scan(&level))
	if level != "serializable" {
		t.Fatalf("isolation: got %s, want serializable", level)
	}
	s.open()
	var ids []string
	for i := range 40 {
		ids = append(ids, s.buy(fmt.Sprint("account", i)))
	}
	stop := s.run(s.worker)
	var all sync.WaitGroup
	for i, id := range ids {
		switch i % 2 {
		case 0:
			all.Go(func() { s.payUntil(id, fmt.Sprint("p", i)) })
		default:
			all.Go(func() { _, _ = s.ask("POST", "/v1/orders/"+id+"/cancel", "") })
		}
	}
	for i := range 20 {
		_, err := s.reserve(fmt.Sprint("other", i))
		check(t, err)
	}
	all.Wait()
	s.soon("the books", func() bool {
		c, err := s.books.Counts(s.Context(), s.sale.Key)
		return err == nil && c.Paid == 20 && c.Pending >= 20
	})
	stop()
	s.drain()
	s.sweep()
	c, err := s.books.Counts(s.Context(), s.sale.Key)
	check(t, err)
	if !c.Balanced() || c.Paid != 20 {
		t.Errorf("books: got %+v", c)
	}
	s.wantAgree()
}

// payUntil repeats a notice for as long as it is asked to.
func (s *shop) payUntil(reservation, payment string) {
	for range 50 {
		if code, status := s.pay(reservation, payment); code == 200 {
			return
		} else if code != 503 {
			s.Errorf("pay: got %d %v", code, status)
			return
		}
	}
	s.Errorf("payment %s was never taken", payment)
}

// Ten holds; every process dies; Redis comes back from its disk.
func TestHoldsEndWithoutTheProcessThatMadeThem(t *testing.T) {
	t.Parallel()
	server := testserver.StartRedis(t, "--appendonly", "yes", "--appendfsync", "always")
	s := onPostgres(t, testserver.Postgres(t), server.URL, 10)
	s.open()
	for i := range 10 {
		s.buy(fmt.Sprint("account", i))
	}
	server.Kill()
	server.Start()
	check(t, s.books.Ripen(s.Context(), s.sale.Key))
	s.run(s.newWorker(s.section))
	s.soon("all units back", func() bool { snap, err := s.gate.Look(s.Context()); return err == nil && snap.Left == 10 })
	s.soon("all of it recorded", func() bool {
		return s.count(`SELECT COUNT(*) FROM sale_orders WHERE sale = $1 AND released_at IS NOT NULL`, s.sale.Key) == 10
	})
	s.wantCounts(0, 0)
	s.wantAgree()
}

func TestThroughPgBouncer(t *testing.T) {
	t.Parallel()
	s := onPostgres(t, testserver.StartPgBouncer(t, testserver.Postgres(t)), testserver.Redis(t), 200)
	s.run(s.worker)
	s.soon("an open gate", func() bool { snap, _ := s.gate.Look(s.Context()); return snap.Open() })
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			for j := range 5 {
				id, err := s.reserve(fmt.Sprintf("account %d %d", i, j))
				if err != nil {
					t.Error(err)
					return
				}
				for code := 0; code != 200; {
					if code, _ = s.pay(id, "p"+id); code != 200 && code != 202 {
						t.Errorf("pay: got %d", code)
						return
					}
				}
			}
		})
	}
	all.Wait()
	s.wantCounts(0, 100)
	// A change of the tables while it runs.
	_, err := s.books.DB().ExecContext(s.Context(), `ALTER TABLE sale_orders ADD COLUMN remark text`)
	check(t, err)
	id, err := s.reserve("after the change")
	check(t, err)
	s.soon("the order", func() bool { code, _ := s.pay(id, "p"+id); return code == 200 })
	s.wantCounts(0, 101)
	s.wantAgree()
}

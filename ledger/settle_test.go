package ledger_test

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/ledger"
)

// reserveAll takes a unit for each of n accounts.
func (s *shop) reserveAll(n int) (ids []string) {
	s.Helper()
	for i := range n {
		id, err := s.reserve(fmt.Sprint("account", i))
		check(s.TB, err)
		ids = append(ids, id)
	}
	return ids
}

// One worker reads every bucket, and what it read of several becomes orders
// together.
func TestWorkerReadsEveryBucket(t *testing.T) {
	for _, buckets := range []int{2, 10} {
		t.Run(fmt.Sprint(buckets), func(t *testing.T) {
			each(t, 300, func(s *shop) { s.readsAll(buckets) })
		})
	}
	t.Run("64", func(t *testing.T) { // more than may wait in Redis at once
		t.Parallel()
		onPostgres(t, testserver.Postgres(t), testserver.Redis(t), 300).readsAll(64)
	})
}

func (s *shop) readsAll(buckets int) {
	s.Helper()
	s.begin(buckets)
	s.open()
	ids := s.reserveAll(200)
	stop := s.run(s.worker)
	s.soonIn(5*time.Second, "an empty stream", func() bool {
		snap, err := s.gate.Look(s.Context())
		return err == nil && snap.Backlog == 0
	})
	stop()
	s.wantCounts(200, 0)
	for _, id := range ids {
		s.wantNote(id, gate.Held)
	}
	s.wantCount(0, `SELECT COUNT(*) FROM sale_orders WHERE told < version`)
	if a := s.wantAgree(); a.Left+a.InTransit != 100 || a.Receipts != 200 {
		s.Errorf("balance: got %+v, want 100 left or in transit, and 200 receipts", a)
	}
}

// What the database itself refuses is found among its neighbours and set aside.
func TestOneThatTheDatabaseRefusesIsIsolated(t *testing.T) {
	each(t, 300, func(s *shop) {
		s.open()
		rule := `ALTER TABLE sale_orders ADD CONSTRAINT not_him CHECK (account <> 'account61')`
		if strings.HasSuffix(s.Name(), "/sqlite") {
			rule = `CREATE TRIGGER not_him BEFORE INSERT ON sale_orders WHEN NEW.account = 'account61' AND NEW.status <> 'CANCELLED'
				BEGIN SELECT RAISE(ABORT, 'not him'); END`
		} else {
			rule = strings.Replace(rule, "account61')", "account61' OR status = 'CANCELLED')", 1)
		}
		_, err := s.books.DB().ExecContext(s.Context(), rule)
		check(s.TB, err)
		ids := s.reserveAll(200)
		s.drain()
		s.sweep()
		s.wantCounts(199, 0)
		s.wantCount(1, `SELECT COUNT(*) FROM poison WHERE sale = $1 AND reservation = $2 AND reason <> ''`, s.sale.Key, ids[61])
		s.wantNote(ids[61], gate.Refused)
		s.wantNote(ids[60], gate.Held)
		s.wantLeft(300 - 199)
		s.wantAgree()
	})
}

// When the stock does not last for a batch, who came first has it.
func TestStockThatDoesNotLastGoesToTheFirst(t *testing.T) {
	each(t, 37, func(s *shop) {
		s.open()
		var ids []string
		for i := range 100 {
			ids = append(ids, uuid.NewString())
			s.forge(winner(ids[i], fmt.Sprint("account", i), "1"))
		}
		s.drain()
		s.sweep()
		s.wantCounts(37, 0)
		for i, id := range ids {
			want := gate.Held
			if i >= 37 {
				want = gate.Refused
			}
			s.wantNote(id, want)
		}
	})
}

// Two hundred that were written come again, half under the same entries and half
// under new ones, and among them one of which nobody was told.
func TestWhatComesAgainIsToldAgain(t *testing.T) {
	each(t, 200, func(s *shop) {
		s.open()
		ids := s.reserveAll(200)
		s.drain()
		check(s.TB, s.rdb.HDel(s.Context(), s.key("notes"), ids[3]).Err())
		check(s.TB, s.rdb.XGroupDestroy(s.Context(), s.stream(), "ledger").Err())
		for i, id := range ids {
			s.forge(winner(id, fmt.Sprint("account", i), "1"))
		}
		s.drain()
		s.wantNote(ids[3], gate.Held)
		s.wantCounts(200, 0)
		s.wantCount(201, `SELECT COUNT(*) FROM journal WHERE sale = $1`, s.sale.Key)
		if a := s.wantAgree(); a.InStream != 0 {
			s.Errorf("in stream: got %d, want 0", a.InStream)
		}
	})
}

// The commit is done and its answer is lost: the batch is asked for again.
func TestCommitWhoseOutcomeIsUnknown(t *testing.T) {
	t.Parallel()
	direct := testserver.Postgres(t)
	address, err := url.Parse(direct)
	check(t, err)
	relay := testserver.NewRelay(t, address.Host)
	address.Host = relay.Addr
	s := onPostgres(t, address.String(), testserver.Redis(t), 200)
	s.open()
	ids := s.reserveAll(100)
	var lost atomic.Int32
	relay.Judge(func(request []byte) testserver.Fate {
		if bytes.Contains(bytes.ToLower(request), []byte("commit")) && lost.Add(1)%2 == 1 {
			return testserver.Fate{Trick: testserver.LoseReply}
		}
		return testserver.Fate{}
	})
	stop := s.run(s.worker)
	s.soon("an empty stream", func() bool { snap, err := s.gate.Look(s.Context()); return err == nil && snap.Backlog == 0 })
	relay.Judge(nil)
	stop()
	if lost.Load() == 0 {
		t.Error("no commit was lost: the test shows nothing")
	}
	s.wantCounts(100, 0)
	s.wantCount(100, `SELECT COUNT(*) FROM journal WHERE sale = $1 AND cause = 'held'`, s.sale.Key)
	for _, id := range ids {
		s.wantNote(id, gate.Held)
	}
	s.wantAgree()
}

// The worker holds the order and waits for the stock row, whose holder waits for
// the order: Postgres throws the worker out, and it writes the same batch again.
func TestDeadlockIsRunAgain(t *testing.T) {
	t.Parallel()
	url := testserver.Postgres(t)
	s := onPostgres(t, url, testserver.Redis(t), 10)
	s.open()
	id, err := s.reserve("ann")
	check(t, err)
	other, err := pgx.Connect(t.Context(), url)
	check(t, err)
	defer func() { _ = other.Close(t.Context()) }()
	do := func(text string, args ...any) {
		t.Helper()
		_, err := other.Exec(t.Context(), text, args...)
		check(t, err)
	}
	do(`SET deadlock_timeout = '30s'`) // so that it is the worker who is thrown out
	do(`BEGIN`)
	do(`SELECT 1 FROM sale_stock WHERE sale = $1 FOR UPDATE`, s.sale.Key)
	var all sync.WaitGroup
	all.Go(s.drain)
	s.soon("the worker, waiting", func() bool {
		return s.count(`SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 1
	})
	do(`INSERT INTO sale_orders (reservation_id, sale, account, qty, status, pay_before) VALUES ($1, 'other', 'ann', 1, 'CANCELLED', now())`, id)
	do(`ROLLBACK`)
	all.Wait()
	s.wantCounts(1, 0)
	s.wantNote(id, gate.Held)
	s.wantCount(1, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`)
	s.wantAgree()
}

// A worker with five winners in hand is replaced under another name while dead
// consumers are forgotten, at every moment.
func TestForgettingConsumersLosesNoWinner(t *testing.T) {
	each(t, 20, func(s *shop) {
		s.open()
		s.reserveAll(5)
		ws, err := s.gate.Winners("dead")[0].Read(s.Context(), 10, time.Millisecond)
		check(s.TB, err)
		if len(ws) != 5 {
			s.Fatalf("read: got %d winners, want 5", len(ws))
		}
		var all sync.WaitGroup
		tidier := s.gate.Winners("tidier")[0]
		for range 4 {
			all.Go(func() {
				for range 50 {
					if err := tidier.Forget(s.Context(), always); err != nil {
						s.Error(err)
					}
				}
			})
		}
		// The dead one wakes up in between, and takes more.
		again := s.gate.Winners("dead")[0]
		for i := range 5 {
			_, err := s.reserve(fmt.Sprint("more", i))
			check(s.TB, err)
			_, err = again.Read(s.Context(), 10, time.Millisecond)
			check(s.TB, err)
		}
		all.Wait()
		if n := s.pending(); n != 10 {
			s.Errorf("in hand: got %d, want 10", n)
		}
		// Whoever takes them over leaves the dead one empty, and only then it goes.
		check(s.TB, s.rdb.Do(s.Context(), "XAUTOCLAIM", s.stream(), "ledger", "one", 0, "0-0").Err())
		check(s.TB, tidier.Forget(s.Context(), always))
		s.drain()
		s.wantCounts(10, 0)
		s.wantAgree()
		names, err := s.rdb.XInfoConsumers(s.Context(), s.stream(), "ledger").Result()
		check(s.TB, err)
		for _, c := range names {
			if c.Name == "dead" {
				s.Errorf("consumers: %+v, want the dead one gone", names)
			}
		}
	})
}

// always is a time since which every consumer has been idle.
const always = -time.Minute

// pending is how many winners consumers have in hand.
func (s *shop) pending() int64 {
	s.Helper()
	p, err := s.rdb.XPending(s.Context(), s.stream(), "ledger").Result()
	check(s.TB, err)
	return p.Count
}

// A batch that takes longer than the database allows is divided until it does not.
func TestSlowDatabaseGetsSmallerBatches(t *testing.T) {
	t.Parallel()
	address := testserver.Postgres(t)
	books, err := ledger.OpenPostgres(configs.NewSecret(address))
	check(t, err)
	s := newShop(t, books, testserver.Redis(t), 40)
	s.open()
	for i := range 40 {
		_, err := s.reserve(fmt.Sprint("account", i))
		check(t, err)
	}
	_, err = books.DB().ExecContext(t.Context(), `
		CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN PERFORM pg_sleep(0.05); RETURN NEW; END $$;
		CREATE TRIGGER dawdle BEFORE INSERT ON sale_orders FOR EACH ROW EXECUTE FUNCTION dawdle()`)
	check(t, err)
	hasty, err := ledger.OpenPostgres(configs.NewSecret(address + "&statement_timeout=1000"))
	check(t, err)
	t.Cleanup(func() { check(t, hasty.Close()) })
	s.books = hasty
	s.worker = s.newWorker(s.section)
	s.drain()
	s.wantCounts(40, 0)
	s.wantAgree()
}

// A buy that was sent twice, of which one is under way until its order has ended and the
// gate has forgotten it, takes a unit once more: it goes back as soon as its winner comes.
// So it is with an order that late money has revived, which has another hold by then.
func TestBuyThatComesAfterItsOrderHasEnded(t *testing.T) {
	each(t, 3, func(s *shop) {
		s.open()
		for _, end := range []struct {
			how string
			do  func(id string)
			out int
		}{
			{"cancelled", func(id string) { s.ask("POST", "/v1/orders/"+id+"/cancel", "") }, 0},
			{"expired", func(string) { s.expire() }, 0},
			{"paid late", func(id string) { s.expire(); s.wantPaid(id, "late", 200, "paid") }, 1},
		} {
			r := gate.Request{
				Reservation: uuid.NewString(), Account: end.how, Ticket: "t-" + end.how, Key: "k", Digest: "d",
				Qty: 1, PerAccount: s.sale.PerAccount, Hold: s.sale.Hold, MaxBacklog: s.section.MaxBacklog,
			}
			_, err := s.gate.Reserve(s.Context(), r)
			check(s.TB, err)
			s.drain()
			end.do(r.Reservation)
			before := s.wantAgree()
			_, err = s.gate.Reserve(s.Context(), r)
			if end.out == 0 {
				check(s.TB, err)
			}
			s.drain()
			if b := s.wantAgree(); b.Left != before.Left || b.Receipts != before.Receipts {
				s.Errorf("%s: got %+v, want what was there before: %+v", end.how, b, before)
			}
		}
	})
}

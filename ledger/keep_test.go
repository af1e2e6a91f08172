package ledger_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/ledger"
)

func TestGateIsBuiltFromTheBooks(t *testing.T) {
	each(t, 5, func(s *shop) {
		if _, err := s.reserve("ann"); err == nil {
			s.Error("reserve before the gate was built: no error")
		}
		s.open()
		s.wantLeft(5)
		held, paid := s.buy("ann"), s.buy("bob")
		s.wantPaid(paid, "p1", 200, "paid")
		expired := s.buy("carl")
		_, _ = s.ask("POST", "/v1/orders/"+expired+"/cancel", "")

		check(s.TB, s.rdb.FlushAll(s.Context()).Err())
		if _, err := s.reserve("dan"); err == nil {
			s.Error("reserve at a lost gate: no error")
		}
		s.open()
		s.wantLeft(3)
		s.wantNote(held, gate.Held)
		s.wantNote(paid, gate.Paid)
		if _, err := s.reserve("ann"); err == nil {
			s.Error("reserve for an account that holds one: no error")
		}
		s.expire()
		s.wantLeft(4)
		s.wantCounts(0, 1)
		s.wantAgree()
	})
}

func TestOnlyALostGateIsAnAlarm(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		s.buy("ann")
		atStart := 1
		if strings.HasSuffix(s.Name(), "/sqlite") {
			atStart = 0 // it went with the program, as always
		}
		core, lines := observer.New(zap.ErrorLevel)
		s.log = zap.New(core)
		s.keep = s.newWorker(s.section).Keeper(s.sale.Key)
		for _, want := range []int{atStart, atStart + 1} { // at its start, and while it runs
			check(s.TB, s.rdb.FlushAll(s.Context()).Err())
			s.open()
			if got := lines.Len(); got != want {
				s.Errorf("alarms: got %d, want %d: %v", got, want, lines.All())
			}
		}
		s.wantLeft(4)
	})
}

func TestOlderGateIsRebuilt(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		s.buy("ann")
		check(s.TB, s.keep(s.Context())) // notes the mark
		// A failover to a copy that never heard of ann.
		check(s.TB, s.rdb.HSet(s.Context(), s.key("state"), "moves", "0", "stock", "5").Err())
		check(s.TB, s.rdb.Del(s.Context(), s.key("receipts"), s.key("index")).Err())
		before, err := s.gate.Look(s.Context())
		check(s.TB, err)
		s.open()
		if after, _ := s.gate.Look(s.Context()); after.Mark.Epoch <= before.Mark.Epoch {
			s.Errorf("epoch: got %d, want more than %d", after.Mark.Epoch, before.Mark.Epoch)
		}
		s.wantLeft(4)
		s.wantAgree()
	})
}

func TestBooksThatLostTheGateRebuildIt(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		s.buy("ann")
		for _, table := range []string{"gates", "sale_orders", "sale_stock"} {
			_, err := s.books.DB().ExecContext(s.Context(), `DELETE FROM `+table)
			check(s.TB, err)
		}
		check(s.TB, s.keep(s.Context()))
		s.wantStream(1) // the receipt still says what ann was told
		s.drain()
		s.open()
		s.wantLeft(4)
		s.wantCount(1, `SELECT COUNT(*) FROM sale_orders WHERE sale = $1 AND status = 'PENDING_PAYMENT'`, s.sale.Key)
	})
}

func TestRebuildWaitsForWinnersOnTheirWay(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		id, err := s.reserve("ann")
		check(s.TB, err)
		check(s.TB, s.gate.Close(s.Context(), "test"))
		for range 5 {
			check(s.TB, s.keep(s.Context()))
		}
		if snap, _ := s.gate.Look(s.Context()); snap.Open() {
			s.Error("gate opened over a winner on its way")
		}
		s.drain()
		check(s.TB, s.keep(s.Context()))
		s.wantLeft(4)
		s.wantNote(id, gate.Held)
		s.wantAgree()
	})
}

func TestTwoKeepersAtOnce(t *testing.T) {
	each(t, 5, func(s *shop) {
		for round := range 3 {
			var all sync.WaitGroup
			for range 4 {
				keep := s.worker.Keeper(s.sale.Key)
				all.Go(func() {
					for range 4 {
						if err := keep(s.Context()); err != nil {
							s.Error(err)
						}
					}
				})
			}
			all.Wait()
			s.soon("an open gate", func() bool {
				check(s.TB, s.keep(s.Context()))
				snap, err := s.gate.Look(s.Context())
				check(s.TB, err)
				return snap.Open()
			})
			s.buy(fmt.Sprint("account", round))
			s.wantAgree()
			check(s.TB, s.gate.Close(s.Context(), "test"))
		}
	})
}

func TestStockFollowsTheFile(t *testing.T) {
	each(t, 3, func(s *shop) {
		s.open()
		s.buy("ann")
		s.buy("bob")
		for _, c := range []struct{ stock, total, left int }{
			{10, 10, 8}, {5, 5, 3}, {1, 2, 0}, {4, 4, 2},
		} {
			changed := *s.sale
			changed.Stock = c.stock
			s.worker.Apply([]*configs.Sale{&changed})
			check(s.TB, s.keep(s.Context()))
			s.wantCount(c.total, `SELECT total FROM sale_stock WHERE sale = $1`, s.sale.Key)
			s.wantCount(c.total, `SELECT SUM(stock) FROM journal WHERE sale = $1`, s.sale.Key)
			s.wantLeft(c.left)
		}
		s.wantAgree()
	})
}

// A new file reaches two workers one after the other, upwards and downwards.
func TestStockStaysWhileFilesDiffer(t *testing.T) {
	each(t, 10, func(s *shop) {
		s.open()
		check(s.TB, s.keep(s.Context()))
		other := s.newWorker(s.section)
		keepOther := other.Keeper(s.sale.Key)
		check(s.TB, keepOther(s.Context()))
		rows := s.count(`SELECT COUNT(*) FROM journal WHERE sale = $1`, s.sale.Key)
		for _, stock := range []int{15, 4} {
			changed := *s.sale
			changed.Stock = stock
			s.worker.Apply([]*configs.Sale{&changed})
			for range 5 {
				check(s.TB, s.keep(s.Context()))
				check(s.TB, keepOther(s.Context()))
			}
			rows++
			s.wantCount(rows, `SELECT COUNT(*) FROM journal WHERE sale = $1`, s.sale.Key)
			s.wantCount(stock, `SELECT total FROM sale_stock WHERE sale = $1`, s.sale.Key)
			s.wantLeft(stock)
			other.Apply([]*configs.Sale{&changed}) // now it has it, too
			check(s.TB, keepOther(s.Context()))
			check(s.TB, keepOther(s.Context()))
			s.wantLeft(stock)
		}
		s.wantCount(rows, `SELECT COUNT(*) FROM journal WHERE sale = $1`, s.sale.Key)
		s.wantAgree()
	})
}

// Less than what is out is followed as units come back, by the worker that has
// the new file, whatever the other one says.
func TestStockIsFollowedDownAsUnitsComeBack(t *testing.T) {
	each(t, 3, func(s *shop) {
		s.open()
		other := s.newWorker(s.section).Keeper(s.sale.Key)
		check(s.TB, other(s.Context()))
		s.buy("ann")
		s.buy("bob")
		changed := *s.sale
		changed.Stock = 1
		s.worker.Apply([]*configs.Sale{&changed})
		for _, total := range []int{2, 1} {
			for range 2 {
				check(s.TB, s.keep(s.Context()))
				check(s.TB, other(s.Context()))
			}
			s.wantCount(total, `SELECT total FROM sale_stock WHERE sale = $1`, s.sale.Key)
			s.expire()
		}
		s.wantLeft(1)
		s.wantAgree()
	})
}

// A worker that stopped between books and gate, either way.
func TestGateFollowsTheBooksTotal(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		for _, c := range []struct{ total, first int }{
			{9, 5}, // too much is taken away at once
			{2, 2}, // too little may be another worker's first half
		} {
			_, err := s.gate.SetTotal(s.Context(), c.total)
			check(s.TB, err)
			for _, want := range []int{c.first, 5} {
				check(s.TB, s.keep(s.Context()))
				s.wantLeft(want)
			}
		}
	})
}

// A rebuild between the gate's new total and the books' has the old one: the books
// must not go below it.
func TestStockGoesDownBesideARebuild(t *testing.T) {
	each(t, 10, func(s *shop) {
		s.open()
		ctx := context.WithoutCancel(s.Context())
		other := s.watched(func() bool { return s.rdb.HGet(ctx, s.key("state"), "total").Val() == "4" }, func() {
			check(s.TB, s.gate.Close(ctx, "test"))
			s.open() // by a worker that has the old file
		})
		sale := *s.sale
		sale.Stock = 4
		w := s.newWorkerOf(s.section, func(context.Context, string) (*gate.Gate, error) { return other, nil })
		w.Apply([]*configs.Sale{&sale})
		keep := w.Keeper(sale.Key)
		for _, want := range []int{10, 4} {
			check(s.TB, keep(s.Context()))
			s.wantLeft(want)
			s.wantCount(want, `SELECT total FROM sale_stock`)
		}
		s.wantAgree()
	})
}

func TestReconcileMendsTheGate(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.worker.Impatient(-time.Minute)
		s.open()
		s.buy("ann")
		s.buy("bob")
		lost, err := s.reserve("carl")
		check(s.TB, err)
		check(s.TB, s.rdb.Del(s.Context(), s.stream()).Err()) // carl's yes is gone
		keys, err := s.rdb.HKeys(s.Context(), s.key("receipts")).Result()
		check(s.TB, err)
		for _, hold := range keys {
			if hold != lost {
				check(s.TB, s.rdb.HDel(s.Context(), s.key("receipts"), hold).Err())
				break
			}
		}
		a, err := s.worker.Reconcile(s.Context(), s.sale, false)
		check(s.TB, err)
		if a.Agree || a.ReceiptsWithoutOrder != 1 || a.OrdersWithoutReceipt != 1 {
			s.Errorf("found: got %+v, want one receipt and one order alone", a)
		}
		a, err = s.worker.Reconcile(s.Context(), s.sale, true)
		check(s.TB, err)
		if !a.Agree || a.Mended != 2 || a.InStream != 1 {
			s.Errorf("mended: got %+v, want agreement, and carl on his way", a)
		}
		s.drain()
		s.wantNote(lost, gate.Held)
		a, err = s.worker.Reconcile(s.Context(), s.sale, true)
		check(s.TB, err)
		if !a.Agree || a.Mended != 0 || a.ReceiptsWithoutOrder+a.OrdersWithoutReceipt != 0 {
			s.Errorf("again: got %+v, want no change", a)
		}
		s.wantLeft(2)
	})
}

func TestReconcileLeavesWhatIsUnderWay(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.worker.Impatient(-time.Minute)
		s.open()
		s.buy("ann")
		_, err := s.reserve("bob") // in the stream
		check(s.TB, err)
		check(s.TB, s.books.Ripen(s.Context(), s.sale.Key))
		a, err := s.worker.Reconcile(s.Context(), s.sale, true)
		check(s.TB, err)
		if !a.Agree || a.Mended != 0 || a.InStream != 1 || a.Receipts != 2 {
			s.Errorf("got %+v, want one in the stream and nothing mended", a)
		}
	})
}

func TestReconcileLeavesALatePaymentUnderWay(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		id := s.buy("ann")
		s.expire()
		next := gate.Receipt{Hold: gate.HoldID(id, 2), Account: "ann", Ticket: "t", Qty: 1}
		check(s.TB, s.gate.Retake(s.Context(), next))
		_, err := s.worker.Reconcile(s.Context(), s.sale, true)
		check(s.TB, err)
		s.wantLeft(4)
		s.worker.Impatient(-time.Minute) // it never comes to its end
		_, err = s.worker.Reconcile(s.Context(), s.sale, true)
		check(s.TB, err)
		s.wantLeft(5)
		s.wantAgree()
	})
}

// How old a receipt is, the gate's clock says: this program's may be ahead of it.
func TestReconcileGoesByTheGatesClock(t *testing.T) {
	t.Parallel()
	books, err := ledger.OpenSQLite(t.Context(), t.TempDir())
	check(t, err)
	mini := testserver.Mini(t)
	behind := time.Now().Add(-time.Hour)
	mini.SetTime(behind)
	s := newShop(t, books, testserver.MiniURL(mini), 5)
	s.open()
	id := s.buy("ann")
	s.expire()
	next := gate.Receipt{Hold: gate.HoldID(id, 2), Account: "ann", Ticket: "t", Qty: 1}
	check(t, s.gate.Retake(t.Context(), next))
	for _, c := range []struct {
		later time.Duration
		left  int
	}{{59 * time.Second, 4}, {61 * time.Second, 5}} {
		mini.SetTime(behind.Add(c.later))
		_, err = s.worker.Reconcile(t.Context(), s.sale, true)
		check(t, err)
		s.wantLeft(c.left)
	}
}

func TestGhostInTheStream(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.worker.Impatient(-time.Minute)
		s.open()
		for i := range 3 {
			_, err := s.reserve(fmt.Sprint("account", i))
			check(s.TB, err)
		}
		dead := s.gate.Winners("dead")[0]
		ws, err := dead.Read(s.Context(), 10, time.Millisecond)
		check(s.TB, err)
		if len(ws) != 3 {
			s.Fatalf("read: got %d winners, want 3", len(ws))
		}
		check(s.TB, s.rdb.XDel(s.Context(), s.stream(), ws[1].Entry).Err())
		n, err := s.worker.ReadOnce(s.Context(), s.sale.Key, "dead") // it is back
		check(s.TB, err)
		if n != 2 {
			s.Errorf("read: got %d winners, want 2", n)
		}
		s.wantCounts(2, 0)
		a, err := s.worker.Reconcile(s.Context(), s.sale, false)
		check(s.TB, err)
		if a.ReceiptsWithoutOrder != 1 || a.Agree {
			s.Errorf("got %+v, want one receipt without order", a)
		}
	})
}

func TestRunSellsAWholeSale(t *testing.T) {
	each(t, 40, func(s *shop) {
		second := s.section
		second.Name = "two"
		other := s.newWorker(second)
		s.run(other)
		stop := s.run(s.worker)
		s.soon("an open gate", func() bool { snap, _ := s.gate.Look(s.Context()); return snap.Open() })
		for i := range 60 {
			_, err := s.reserve(fmt.Sprint("account", i))
			if i < 40 {
				check(s.TB, err)
			}
			if i == 20 {
				check(s.TB, s.rdb.XGroupDestroy(s.Context(), s.stream(), "ledger").Err())
			}
			if i == 30 {
				stop() // the other one goes on
			}
		}
		s.soon("all orders", func() bool {
			c, err := s.books.Counts(s.Context(), s.sale.Key)
			check(s.TB, err)
			return c.Pending == 40
		})
		s.soon("an empty stream", func() bool { snap, _ := s.gate.Look(s.Context()); return snap.Backlog == 0 })
		s.wantAgree()
		check(s.TB, s.books.Ripen(s.Context(), s.sale.Key))
		s.soon("all given back", func() bool { snap, _ := s.gate.Look(s.Context()); return snap.Left == 40 })
		s.wantCounts(0, 0)
		s.wantAgree()
	})
}

func TestStreamDeletedWhileRunning(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.run(s.worker)
		s.soon("an open gate", func() bool { snap, _ := s.gate.Look(s.Context()); return snap.Open() })
		check(s.TB, s.rdb.Del(s.Context(), s.stream()).Err())
		id, err := s.reserve("ann")
		check(s.TB, err)
		began := time.Now()
		s.soon("the order", func() bool {
			n, ok, err := s.gate.Find(s.Context(), "", id)
			check(s.TB, err)
			return ok && n.Status == gate.Held
		})
		if took := time.Since(began); took > 5*time.Second {
			s.Errorf("took %v, want at most 5 s", took)
		}
		s.wantCounts(1, 0)
	})
}

func TestMigrateFromManyWorkersAtOnce(t *testing.T) {
	each(t, 1, func(s *shop) {
		for _, text := range []string{
			`DROP TABLE journal`, `DROP TABLE sale_orders`, `DROP TABLE sale_stock`, `DROP TABLE refusals`, `DROP TABLE poison`,
			`DROP TABLE payments`, `DROP TABLE early_payments`, `DROP TABLE refunds`, `DROP TABLE gates`, `DROP TABLE goose_db_version`,
		} {
			_, err := s.books.DB().ExecContext(s.Context(), text)
			check(s.TB, err)
		}
		_, _ = s.books.DB().ExecContext(s.Context(), `DROP FUNCTION journal_is_append_only`) // only there on Postgres
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := s.books.Migrate(s.Context()); err != nil {
					s.Error(err)
				}
			})
		}
		all.Wait()
		s.open()
		s.buy("ann")
		s.wantAgree()
	})
}

// A gate ends thirty days beyond its sale, or beyond the worker that kept it last.
func TestKeptGateEndsAMonthAfterItsSale(t *testing.T) {
	each(t, 5, func(s *shop) {
		const month = 30 * 24 * time.Hour
		for _, closes := range []time.Duration{time.Hour, -2 * month} {
			s.sale.Closes = time.Now().Add(closes)
			s.worker = s.newWorker(s.section)
			s.keep = s.worker.Keeper(s.sale.Key)
			s.open()
			check(s.TB, s.keep(s.Context()))
			keys, err := s.rdb.Keys(s.Context(), "wr:{gate:"+s.sale.Key+"/0}:*").Result()
			if err != nil || len(keys) == 0 {
				s.Fatalf("keys %v, %v; want some", keys, err)
			}
			for _, key := range keys {
				left, err := s.rdb.PTTL(s.Context(), key).Result()
				if want := max(closes, 0) + month; err != nil || left > want || left < want-time.Minute {
					s.Errorf("sale closes in %v: %s lives for %v, %v; want %v", closes, key, left, err, want)
				}
			}
		}
	})
}

// Books and gate get a new total one after the other. Whoever compares them in between
// compares again.
func TestReconcileWaitsForATotalOnItsWay(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		s.buy("ann")
		ctx := context.WithoutCancel(s.Context())
		calls := -1000 // until it counts
		other := s.watched(func() bool { calls++; return calls == 2 }, func() {
			_, err := s.gate.SetTotal(ctx, 7)
			check(s.TB, err)
		})
		_, err := other.Audit(ctx) // so that the next one is two calls
		check(s.TB, err)
		_, err = s.books.DB().ExecContext(ctx, `UPDATE sale_stock SET total = 7 WHERE sale = $1`, s.sale.Key)
		check(s.TB, err)
		calls = 0
		w := s.newWorkerOf(s.section, func(context.Context, string) (*gate.Gate, error) { return other, nil })
		if a, err := w.Reconcile(ctx, s.sale, false); err != nil || !a.Agree || calls != 4 {
			s.Errorf("Reconcile = %+v, %v, after %d calls; want that they agree at the second try", a, err, calls)
		}
	})
}

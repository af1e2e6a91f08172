package ledger_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/waitroom/waitroom/gate"
)

// A stream that cannot be read for seconds costs one line and one question a
// second, although each fails at once; then the order is there within five.
func TestBrokenStreamIsNoSpin(t *testing.T) {
	each(t, 5, func(s *shop) {
		core, lines := observer.New(zap.ErrorLevel)
		s.log = zap.New(core)
		w := s.newWorker(s.section)
		s.run(w)
		s.soon("an open gate", func() bool { snap, _ := s.gate.Look(s.Context()); return snap.Open() })
		reads := s.watch()
		check(s.TB, s.rdb.Del(s.Context(), s.stream()).Err())
		check(s.TB, s.rdb.Set(s.Context(), s.stream(), "not a stream", 0).Err())
		began := time.Now()
		s.soon("four tries", func() bool { return reads.grouped() >= 4 })
		took := time.Since(began)
		if took < 2500*time.Millisecond { // one each second; each fails at its group
			s.Errorf("four tries: got them in %v, want about 3s", took)
		}
		if n, most := lines.Len(), int(took.Seconds())+2; n == 0 || n > most {
			s.Errorf("error lines in %v: got %d, want 1 to %d", took, n, most)
		}
		check(s.TB, s.rdb.Del(s.Context(), s.stream()).Err())
		var id string
		s.soon("an open gate again", func() (ok bool) {
			var err error
			id, err = s.reserve("ann")
			return err == nil
		})
		s.soonHeld(id, 5*time.Second)
		s.wantCounts(1, 0)
	})
}

// Acknowledgements that a failover forgot: entries that were written come again,
// half of them under the same ids and half under new ones.
func TestEntriesThatComeAgainAfterAFailover(t *testing.T) {
	each(t, 200, func(s *shop) {
		s.open()
		var ids []string
		for i := range 200 {
			id, err := s.reserve(fmt.Sprint("account", i))
			check(s.TB, err)
			ids = append(ids, id)
		}
		entries, err := s.rdb.XRange(s.Context(), s.stream(), "-", "+").Result()
		check(s.TB, err)
		s.drain()
		for i := range 20 {
			s.wantPaid(ids[i], fmt.Sprint("p", i), 200, "paid")
			s.wantPaid(ids[i], fmt.Sprint("again", i), 200, "refund_due")
		}
		counter := newTill(s.TB, says(200))
		w := s.sender(counter.URL)
		check(s.TB, w.SendRefunds(s.Context()))
		s.ask("POST", "/v1/orders/"+ids[100]+"/cancel", "")
		rows := s.count(`SELECT COUNT(*) FROM journal WHERE sale = $1`, s.sale.Key)

		check(s.TB, s.rdb.Del(s.Context(), s.stream()).Err())
		for i, e := range entries {
			if i%2 == 0 {
				check(s.TB, s.rdb.XAdd(s.Context(), &redis.XAddArgs{Stream: s.stream(), ID: e.ID, Values: e.Values}).Err())
			}
		}
		for i, e := range entries {
			if i%2 == 1 {
				s.forge(e.Values)
			}
		}
		s.drain()
		check(s.TB, w.SendRefunds(s.Context()))
		s.sweep()
		if got := len(counter.deliveries()); got != 20 {
			s.Errorf("refunds announced: got %d, want 20", got)
		}
		s.wantCount(rows, `SELECT COUNT(*) FROM journal WHERE sale = $1`, s.sale.Key)
		s.wantCount(200, `SELECT COUNT(*) FROM sale_orders WHERE sale = $1`, s.sale.Key)
		s.wantCounts(179, 20)
		s.wantLeft(1)
		if a := s.wantAgree(); a.InStream != 0 {
			s.Errorf("in stream: got %d, want 0", a.InStream)
		}
	})
}

// A worker dies with five winners in hand and is replaced under another name,
// while somebody clears away consumers that are idle: five orders are written.
func TestIdleConsumerTakesNoOrderWithIt(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		for i := range 5 {
			_, err := s.reserve(fmt.Sprint("account", i))
			check(s.TB, err)
		}
		dead := s.gate.Winners("dead")[0]
		for range 2 { // the first may make the group
			if ws, err := dead.Read(s.Context(), 5, 10*time.Millisecond); err == nil && len(ws) == 5 {
				break
			}
		}
		section := s.section
		section.Name = "other"
		stop := s.run(s.newWorker(section))
		ctx, cancel := context.WithCancel(s.Context())
		var clearing sync.WaitGroup
		clearing.Go(func() {
			clearer := s.gate.Winners("clearer")[0]
			for ctx.Err() == nil {
				_ = clearer.Forget(ctx, 0)
			}
		})
		s.soonIn(40*time.Second, "five orders", func() bool {
			return s.count(`SELECT COUNT(*) FROM sale_orders WHERE sale = $1`, s.sale.Key) == 5
		})
		cancel()
		clearing.Wait()
		stop()
		check(s.TB, s.gate.Winners("last")[0].Forget(s.Context(), 0))
		consumers, err := s.rdb.XInfoConsumers(s.Context(), s.stream(), "ledger").Result()
		check(s.TB, err)
		for _, c := range consumers {
			// The embedded Redis cannot say of every consumer since when it is idle.
			if strings.HasPrefix(c.Name, "dead") && c.Idle >= 0 {
				s.Errorf("consumer %s is still known, though it is empty: %+v", c.Name, c)
			}
		}
		s.wantCounts(5, 0)
		s.wantAgree()
	})
}

// A unit whose hold ran out is on sale again within the time that docs/ledger.md
// names, and whoever sees it on sale gets it at the first try.
func TestUnitIsOnSaleWhenItIsShown(t *testing.T) {
	each(t, 1, func(s *shop) {
		s.sale.Hold = time.Second
		s.run(s.worker)
		s.soon("an open gate", func() bool { snap, _ := s.gate.Look(s.Context()); return snap.Open() })
		first, err := s.reserve("ann")
		check(s.TB, err)
		over := time.Now().Add(s.sale.Hold)
		s.soonIn(9*time.Second, "a unit on sale", func() bool {
			told, ok, err := s.gate.Find(s.Context(), "", first)
			check(s.TB, err)
			snap, err := s.gate.Look(s.Context())
			check(s.TB, err)
			late := time.Since(over)
			if snap.Left == 1 {
				if late < 0 {
					s.Errorf("on sale %v before the hold was over", -late)
				}
				if _, err := s.reserve("bob"); err != nil {
					s.Errorf("the unit is shown, and refused: %v", err)
				}
				return true
			}
			if _, err := s.reserve("bob"); err == nil && late < 0 {
				s.Fatal("sold while it was held")
			} else if err == nil {
				return true // it came back between the look and this
			}
			if ok && told.Status == gate.Expired && late < 0 {
				s.Errorf("told as expired %v before the time", -late)
			}
			return false
		})
		s.soon("what is told", func() bool {
			n, ok, err := s.gate.Find(s.Context(), "", first)
			return err == nil && ok && n.Status == gate.Expired
		})
	})
}

package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

// waits counts the commands that wait in Redis, the reads of each stream, and how
// often a group was asked for.
type waits struct {
	mu        sync.Mutex
	now, most int
	groups    int
	reads     map[string]int
}

func (c *waits) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *waits) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (c *waits) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		args := cmd.Args()
		switch cmd.Name() {
		case "xgroup":
			c.mu.Lock()
			c.groups++
			c.mu.Unlock()
			return next(ctx, cmd)
		case "xreadgroup":
		default:
			return next(ctx, cmd)
		}
		waiting := 0
		if slices.Contains(args, any("block")) {
			waiting = 1
		}
		c.mu.Lock()
		c.now += waiting
		c.most = max(c.most, c.now)
		c.reads[fmt.Sprint(args[len(args)-2])]++
		c.mu.Unlock()
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.now -= waiting
		}()
		return next(ctx, cmd)
	}
}

// waiting returns the most commands that have waited at once.
func (c *waits) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.most
}

// read returns how often streams were read whose name contains a part.
func (c *waits) read(part string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for stream, times := range c.reads {
		if strings.Contains(stream, part) {
			n += times
		}
	}
	return n
}

// grouped returns how often a group was asked for.
func (c *waits) grouped() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.groups
}

func (s *shop) watch() *waits {
	c := &waits{reads: make(map[string]int)}
	s.rdb.AddHook(c)
	return c
}

// idleSales are sales that ended a month ago and ones that open in a month.
func (s *shop) idleSales(n int) (sales []*configs.Sale) {
	for i := range n {
		sale := liveSale(fmt.Sprintf("idle-%d-%s", i, s.sale.Key), 1)
		days := 30 - i%2*60
		sale.Doors = sale.Doors.AddDate(0, 0, days)
		sale.Opens, sale.Closes = sale.Doors, sale.Closes.AddDate(0, 0, days)
		sales = append(sales, sale)
	}
	return sales
}

func (s *shop) soonHeld(id string, most time.Duration) {
	s.Helper()
	began := time.Now()
	s.soon("the order", func() bool {
		n, ok, err := s.gate.Find(s.Context(), "", id)
		check(s.TB, err)
		return ok && n.Status == gate.Held
	})
	if took := time.Since(began); took > most {
		s.Errorf("order written after %v, want at most %v", took, most)
	}
}

func TestIdleSalesHoldNoConnection(t *testing.T) {
	each(t, 5, func(s *shop) {
		c := s.watch()
		s.open()
		s.worker.Apply(append(s.idleSales(100), s.sale))
		s.run(s.worker)
		s.soon("a read of every sale", func() bool { return c.read("idle-") >= 200 })
		id, err := s.reserve("ann")
		check(s.TB, err)
		s.soonHeld(id, 10*time.Second)
		if got := c.waiting(); got != 1 {
			s.Errorf("waiting in Redis: got %d, want 1", got)
		}
	})
}

func TestManyLiveSalesShareTheSeats(t *testing.T) {
	each(t, 5, func(s *shop) {
		c := s.watch()
		s.open()
		sales := []*configs.Sale{s.sale}
		for i := range 40 {
			sales = append(sales, liveSale(fmt.Sprintf("live-%d-%s", i, s.sale.Key), 1))
		}
		s.worker.Apply(sales)
		s.run(s.worker)
		s.soon("a read of every sale", func() bool { return c.read("live-") >= 80 })
		id, err := s.reserve("ann")
		check(s.TB, err)
		s.soonHeld(id, 5*time.Second)
		if got := c.waiting(); got < 2 || got > 16 {
			s.Errorf("waiting in Redis: got %d, want at most 16", got)
		}
	})
}

func TestReadersOfRemovedSalesEnd(t *testing.T) {
	each(t, 5, func(s *shop) {
		c := s.watch()
		idle := s.idleSales(2)
		s.worker.Apply(append(idle, s.sale))
		s.run(s.worker)
		s.soon("a read of every sale", func() bool { return c.read("idle-0") > 1 && c.read("idle-1") > 1 })
		s.worker.Apply([]*configs.Sale{s.sale})
		s.soon("the end of both readers", func() bool {
			before := c.read("idle-")
			time.Sleep(4 * time.Second) // longer than between two reads
			return c.read("idle-") == before
		})
		before := c.read("idle-1")
		s.worker.Apply([]*configs.Sale{s.sale, idle[1]})
		s.soon("a reader of the one that is back", func() bool { return c.read("idle-1") > before })
	})
}

// A sale that leaves the configuration while it is live is read on.
func TestReaderOfALiveSaleStays(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		s.run(s.worker)
		c := s.watch()
		s.soon("a read", func() bool { return c.read(s.sale.Key) > 0 })
		s.worker.Apply(nil)
		before := c.read(s.sale.Key)
		s.soon("reads", func() bool { return c.read(s.sale.Key) > before+3 })
		id, err := s.reserve("ann")
		check(s.TB, err)
		s.soonHeld(id, 2*time.Second)
	})
}

// Its run ended while every worker was away.
func TestWinnersThatWereLeftAreWritten(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		id, err := s.reserve("ann")
		check(s.TB, err)
		s.worker.Apply(nil)
		s.run(s.worker)
		s.soonHeld(id, 5*time.Second)
	})
}

// The store of a former sale's gate does not answer at first.
func TestGateThatIsFoundLater(t *testing.T) {
	each(t, 5, func(s *shop) {
		s.open()
		id, err := s.reserve("ann")
		check(s.TB, err)
		s.wantPaid(id, "p1", 202, "finishing")
		check(s.TB, s.books.RipenEarly(s.Context()))
		var found atomic.Bool
		var tries atomic.Int32
		w := s.newWorkerOf(s.section, func(context.Context, string) (*gate.Gate, error) {
			if tries.Add(1); !found.Load() {
				return nil, errors.New("no answer")
			}
			return s.gate, nil
		})
		w.Apply(nil)
		if _, err := w.Sweep(s.Context()); err == nil {
			s.Error("sweep without an answer: no error")
		}
		s.wantCount(0, `SELECT COUNT(*) FROM refunds`)
		s.run(w)
		s.soon("a failed try", func() bool { return tries.Load() > 3 })
		found.Store(true)
		s.soon("the order", func() bool {
			c, err := s.books.Counts(s.Context(), s.sale.Key)
			check(s.TB, err)
			return c.Paid == 1
		})
	})
}

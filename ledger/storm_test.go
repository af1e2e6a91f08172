package ledger_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// TestStorm lets two workers and many shoppers do everything at once, in an
// order that a seed decides, and then balances the books: what the gate said yes
// to is one order or one refusal, and books and gate agree to the unit.
func TestStorm(t *testing.T) {
	each(t, 20, func(s *shop) {
		seed := rand.Uint64()
		s.Logf("seed %d", seed)
		s.sale.Price = money(s.TB, "19.90 EUR")
		second := s.section
		second.Name = "two"
		s.worker.Impatient(5 * time.Second)
		stop, stopOther := s.run(s.worker), s.run(s.newWorker(second))
		s.soon("an open gate", func() bool { snap, _ := s.gate.Look(s.Context()); return snap.Open() })

		var yes yesses
		ctx, cancel := context.WithTimeout(s.Context(), 4*time.Second)
		defer cancel()
		var all sync.WaitGroup
		for n := range 6 {
			dice := rand.New(rand.NewPCG(seed, uint64(n)))
			all.Go(func() {
				for i := 0; ctx.Err() == nil; i++ {
					s.act(dice, &yes, fmt.Sprintf("%d-%d", n, i))
				}
			})
		}
		all.Wait()
		s.Cleanup(func() { snap, err := s.gate.Look(context.Background()); s.Logf("gate: %+v %v", snap, err) })
		s.soon("an open gate, and an empty stream", func() bool {
			snap, err := s.gate.Look(s.Context())
			return err == nil && snap.Open() && snap.Backlog == 0
		})
		stop()
		stopOther()
		s.sweep()
		s.balance(yes.ids)
	})
}

// yesses are the reservations that the gate has given.
type yesses struct {
	mu  sync.Mutex
	ids []string
}

func (y *yesses) add(id string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.ids = append(y.ids, id)
}

func (y *yesses) any(dice *rand.Rand) string {
	y.mu.Lock()
	defer y.mu.Unlock()
	if len(y.ids) == 0 {
		return "00000000-0000-0000-0000-000000000000"
	}
	return y.ids[dice.IntN(len(y.ids))]
}

// act does one thing that can happen during a sale. What comes of it is judged
// at the end.
func (s *shop) act(dice *rand.Rand, yes *yesses, name string) {
	account := fmt.Sprint("account", dice.IntN(30))
	switch n := dice.IntN(100); {
	case n < 45:
		if id, err := s.reserve(account); err == nil {
			yes.add(id)
		}
	case n < 65:
		id := yes.any(dice)
		if dice.IntN(5) > 0 {
			s.pay(id, fmt.Sprint(id, dice.IntN(2)))
		} else {
			s.said(id, fmt.Sprint(id, "wrong"), `"amount":5,"currency":"EUR"`)
		}
	case n < 75:
		s.ask("POST", "/v1/orders/"+yes.any(dice)+"/cancel", "")
	case n < 88: // a closed gate appends nothing
		if snap, err := s.gate.Look(s.Context()); err != nil || !snap.Open() {
			return
		}
		if n < 83 {
			s.forge(winner(yes.any(dice), account, "1")) // it comes again
		} else {
			s.forge(winner("poison "+name, account, "x"))
		}
	case n < 94:
		_ = s.books.Ripen(s.Context(), s.sale.Key)
	case n < 97:
		_, _ = s.worker.Sweep(s.Context())
	case n < 99:
		_, _ = s.worker.Reconcile(s.Context(), s.sale, true)
	default:
		if dice.IntN(4) == 0 {
			_ = s.gate.Close(s.Context(), name)
		}
	}
}

// balance checks every invariant over both stores.
func (s *shop) balance(yes []string) {
	s.Helper()
	if len(yes) < 5 {
		s.Errorf("only %d reservations: the storm was none", len(yes))
	}
	for _, id := range yes {
		orders := s.count(`SELECT COUNT(*) FROM sale_orders WHERE reservation_id = $1`, id)
		refusals := s.count(`SELECT COUNT(*) FROM refusals WHERE reservation_id = $1`, id)
		if orders+refusals != 1 {
			s.Errorf("reservation %s: %d orders and %d refusals, want one of both", id, orders, refusals)
		}
	}
	s.wantCount(0, `SELECT COUNT(*) FROM sale_orders WHERE status IN ('EXPIRED', 'CANCELLED') AND released_at IS NULL`)
	s.wantCount(0, `SELECT COUNT(*) FROM sale_orders WHERE told < version`)
	s.wantCount(0, `SELECT COUNT(*) FROM (SELECT account FROM sale_orders WHERE status IN ('PENDING_PAYMENT', 'PAID') GROUP BY account HAVING COUNT(*) > 1) AS twice`)
	s.wantCount(0, `SELECT COUNT(*) FROM early_payments`)
	s.wantCount(s.count(`SELECT COUNT(*) FROM payments WHERE outcome = 'refund_due'`), `SELECT COUNT(*) FROM refunds`)
	s.wantCount(0, `SELECT COUNT(*) FROM sale_orders o JOIN payments p ON p.payment_id = o.payment_id WHERE p.amount IN (5)`)
	c, err := s.books.Counts(s.Context(), s.sale.Key)
	check(s.TB, err)
	if !c.Balanced() {
		s.Errorf("books: got %+v, want balanced", c)
	}
	a, err := s.worker.Reconcile(s.Context(), s.sale, false)
	check(s.TB, err)
	if !a.Agree || a.Left+a.Sold != a.Total {
		s.Errorf("before mending: %+v, receipts and orders want to agree, and left + sold = total", a)
	}
}

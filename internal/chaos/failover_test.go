package chaos_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/waitroom/waitroom/gate"
)

// TestFailover_ThatForgetsTheLastWrites: the primary says yes, no replica hears of
// it, and the primary dies. Whoever was promoted must sell nothing before the
// ledger has rebuilt it; then the rest is sold, never more than the stock, and
// what nobody knows any more is all that is lost.
func TestFailover_ThatForgetsTheLastWrites(t *testing.T) {
	t.Parallel()
	for _, topology := range []*topology{&sentinel, &cluster} {
		t.Run(topology.name, func(t *testing.T) {
			t.Parallel()
			r := newRound(t, 1, scenario{topology, []fault{{name: "a failover that forgets", damages: true}}})
			r.begin()
			b := r.newBuyer(0)
			b.patient = true
			b.sell(10, true) // which replicas hear of
			server := r.stores.owner(r.key(0, "state"))
			server.CutReplicas()
			b.sell(5, true) // which the ledger hears of, and no replica
			r.soon("the ledger knows", func() bool { snap, err := r.gate.Look(r.ctx); return err == nil && snap.Backlog == 0 })
			for _, w := range r.workers {
				w.redis.shut()
			}
			b.sell(5, false) // which nobody will ever know of
			before, err := r.gate.Look(r.ctx)
			r.must(err)

			died := time.Now()
			server.Kill()
			for _, w := range r.workers {
				w.redis.open()
			}
			r.excuse(time.Now())
			r.succeeded(0, server)
			promoted := time.Since(died)
			b.sell(1, true) // asks until there is an answer
			reopened := time.Since(died)
			after, err := r.gate.Look(r.ctx)
			if err != nil || after.Mark.Epoch <= before.Mark.Epoch {
				t.Errorf("sold again in epoch %d, %v; want one rebuilt, beyond %d", after.Mark.Epoch, err, before.Mark.Epoch)
			}
			t.Logf("%s: a replica was promoted after %v; rebuilt from the ledger, the gate sold again after %v",
				topology.name, promoted.Round(time.Millisecond), reopened.Round(time.Millisecond))
			server.Start()
			for b.sell(1, true) == 1 { // until all is sold
			}
			r.settle()
			sold := r.check()
			if sold != r.sale.Stock {
				t.Errorf("%d of %d were sold in the end", sold, r.sale.Stock)
			}
		})
	}
}

// sell buys units one by one, for an account each, and pays for every second one
// if it is told to. It returns how many there were.
func (b *buyer) sell(n int, pays bool) int {
	for i := range n {
		b.n++
		r := gate.Request{
			Reservation: b.newID(), Account: fmt.Sprint("account", b.n), Ticket: fmt.Sprint("ticket", b.n), Key: fmt.Sprint("key", b.n),
			Digest: "d", Qty: 1, PerAccount: 2, Hold: time.Minute, MaxBacklog: maxBacklog,
		}
		reservation, ok := b.ask(r)
		if !ok {
			return i
		}
		if pays && b.n%2 == 0 {
			b.pay(b.rng, reservation, fmt.Sprint("payment", b.n))
		}
	}
	return n
}

package gate_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/gate"
)

// between runs something in the midst of a process: before its nth command.
type between struct {
	left atomic.Int64
	what func()
}

func (b *between) step() {
	if b.left.Add(-1) == -1 {
		b.what()
	}
}

func (b *between) DialHook(next redis.DialHook) redis.DialHook { return next }
func (b *between) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error { b.step(); return next(ctx, cmd) }
}
func (b *between) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error { b.step(); return next(ctx, cmds) }
}

// named are names that are at home in buckets of n, one in each.
func named(prefix string, n int) (names []string) {
	for bucket := range n {
		for i := 0; ; i++ {
			if name := fmt.Sprint(prefix, i); gate.Home(name, n) == bucket {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// A ticket that two accounts use at the same time gets one of them something,
// wherever the three are at home, and however the two cross.
func TestBuckets_OneReservationATicket(t *testing.T) {
	t.Parallel()
	rdb := embedded(t)
	const n = 3
	accounts, others, tickets := named("ann", n), named("bob", n), named("ticket", n)
	for i, ann := range accounts {
		for j, bob := range others {
			for k, ticket := range tickets {
				for _, owned := range []bool{false, true} {
					for step := range 8 {
						key := fmt.Sprintf("toy-%d%d%d-%t-%d", i, j, k, owned, step)
						cross(t, rdb, key, n, ann, bob, ticket, owned, step)
					}
				}
			}
		}
	}
}

// cross lets ann buy and, before the nth command of that, bob, both with one ticket.
// owned says that bob's was the last binding of it.
func cross(t *testing.T, rdb *redis.Client, key string, n int, ann, bob, ticket string, owned bool, step int) {
	t.Helper()
	g := gate.New(rdb, key, n)
	build(t, g, gate.Contents{Epoch: 1, Total: 10})
	ask := func(g *gate.Gate, account string) (gate.Hold, error) {
		r := request(1)
		r.Account, r.Ticket = account, ticket
		return g.Reserve(t.Context(), r)
	}
	if owned {
		h, err := ask(g, bob)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Release(t.Context(), bob, h.Reservation); err != nil {
			t.Fatal(err)
		}
	}
	var won, lost int
	count := func(_ gate.Hold, err error) {
		_, already := errors.AsType[*gate.AlreadyBoughtError](err)
		switch {
		case err == nil:
			won++
		case already:
			lost++
		default:
			t.Errorf("%s: Reserve: %v", key, err)
		}
	}
	c := client(t, "redis://"+rdb.Options().Addr)
	b := &between{what: func() { count(ask(g, bob)) }}
	b.left.Store(1 << 20)
	c.AddHook(b)
	mine := gate.New(c, key, n)
	if _, err := mine.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.left.Store(int64(step))
	count(ask(mine, ann))
	if b.left.Load() >= 0 { // it needed fewer commands
		count(ask(g, bob))
	}
	if won != 1 || lost != 1 {
		t.Errorf("%s (%s at %d, %s at %d, %s at %d): %d of two got something; want one", key,
			ann, gate.Home(ann, n), bob, gate.Home(bob, n), ticket, gate.Home(ticket, n), won)
	}
}

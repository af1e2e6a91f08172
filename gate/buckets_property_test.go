package gate_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/waitroom/waitroom/gate"
)

// stock is what a gate of any number of buckets must amount to: so many units, and
// who has some of them.
type stock struct {
	total  int
	out    map[string]gate.Receipt // by hold
	lapsed uint64                  // orders that ended since the last rebuild
}

func (s stock) left() int {
	left := s.total
	for _, r := range s.out {
		left -= r.Qty
	}
	return left
}

// has are the reservations that an account or a ticket has out.
func (s stock) has(account, ticket string) (all []string) {
	for hold, r := range s.out {
		if r.Account == account || r.Ticket == ticket {
			reservation, _, _ := strings.Cut(hold, "/")
			all = append(all, reservation)
		}
	}
	return all
}

// life is one random life of a gate in several buckets. Any call may be a process's
// last, at any of its commands; somebody then asks again.
type life struct {
	*rapid.T
	ctx    context.Context
	mortal *gate.Gate
	crash  *crash
	gate   *gate.Gate // of somebody who lives
	epoch  uint64
	names  int
	stock
}

func TestBuckets_AccountForEveryUnitInAnyLife(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		var sales atomic.Int64
		rapid.Check(t, func(rt *rapid.T) {
			key := fmt.Sprint("toy", sales.Add(1))
			n := rapid.SampledFrom([]int{1, 2, 3, 10}).Draw(rt, "buckets")
			dies, c := mortal(t, rdb, key, n)
			l := &life{T: rt, ctx: t.Context(), mortal: dies, crash: c, gate: gate.New(rdb, key, n), stock: stock{out: map[string]gate.Receipt{}}}
			l.rebuild()
			steps := map[string]func(){
				"reserve": l.reserve, "reserve too": l.reserve, "reserve more": l.reserve, "reserve most": l.reserve,
				"release": l.release, "retake": l.retake, "set total": l.setTotal, "mend": l.mend, "look": l.look, "rebuild": l.rebuild,
			}
			names := slices.Sorted(maps.Keys(steps))
			for range rapid.IntRange(1, 25).Draw(rt, "steps") {
				steps[rapid.SampledFrom(names).Draw(rt, "step")]()
				l.compare()
			}
		})
	})
}

// dying runs a call in a process that may end in the midst of it.
func (l *life) dying(call func(g *gate.Gate) error) {
	if rapid.Bool().Draw(l.T, "dies") {
		l.crash.arm(rapid.IntRange(0, 14).Draw(l.T, "after"), rapid.Bool().Draw(l.T, "last one runs"))
		_ = call(l.mortal)
		l.crash.disarm()
	}
}

// compare holds the gate's own account against the model.
func (l *life) compare() {
	l.Helper()
	a, err := l.gate.Audit(l.ctx)
	l.check(err)
	out := map[string]gate.Receipt{}
	for _, r := range a.Receipts {
		out[r.Hold] = gate.Receipt{Hold: r.Hold, Account: r.Account, Ticket: r.Ticket, Qty: r.Qty}
	}
	if !maps.Equal(out, l.out) {
		l.Fatalf("receipts %v; want %v", out, l.out)
	}
	if a.Total != l.total || a.Offered() != l.left() || !a.Open() || a.Misfiled != 0 {
		l.Fatalf("gate %+v, %d misfiled; want %d left of %d", a.Snapshot, a.Misfiled, l.left(), l.total)
	}
	if won := l.lapsed + uint64(len(l.out)); a.Won != won || a.Lapsed != l.lapsed {
		l.Fatalf("gate counts %d won, %d lapsed; want %d, %d", a.Won, a.Lapsed, won, l.lapsed)
	}
}

func (l *life) look() {
	l.dying(func(g *gate.Gate) error { _, err := g.Look(l.ctx); return err })
	s, err := l.gate.Look(l.ctx)
	l.check(err)
	if s.Offered() != l.left() || s.Total != l.total || !s.Open() || s.Mark.Epoch != l.epoch {
		l.Fatalf("Look = %+v; want %d left of %d", s, l.left(), l.total)
	}
}

func (l *life) reserve() {
	r := gate.Request{
		Reservation: l.name(), Account: l.account(), Ticket: l.ticket(), Key: "k" + l.name(), Digest: "d",
		Qty: rapid.IntRange(1, 3).Draw(l.T, "qty"), PerAccount: 3, Hold: time.Minute, MaxBacklog: 1000,
	}
	l.dying(func(g *gate.Gate) error { _, err := g.Reserve(l.ctx, r); return err })
	got, err := l.gate.Reserve(l.ctx, r)
	already, _ := errors.AsType[*gate.AlreadyBoughtError](err)
	switch has := l.has(r.Account, r.Ticket); {
	case len(has) > 0:
		if already == nil || !slices.Contains(has, already.Reservation) {
			l.Fatalf("Reserve = %+v, %v; want already bought, one of %s", got, err, has)
		}
	case l.left() < r.Qty:
		if !errors.Is(err, gate.ErrSoldOut) {
			l.Fatalf("Reserve = %+v, %v; want sold out", got, err)
		}
	default:
		if err != nil || got.Reservation != r.Reservation {
			l.Fatalf("Reserve = %+v, %v; want %s", got, err, r.Reservation)
		}
		l.out[r.Reservation] = gate.Receipt{Hold: r.Reservation, Account: r.Account, Ticket: r.Ticket, Qty: r.Qty}
	}
}

func (l *life) retake() {
	r := gate.Receipt{Hold: gate.HoldID(l.name(), 2), Account: l.account(), Ticket: l.ticket(), Qty: rapid.IntRange(1, 3).Draw(l.T, "qty")}
	l.dying(func(g *gate.Gate) error { return g.Retake(l.ctx, r) })
	err := l.gate.Retake(l.ctx, r)
	_, already := errors.AsType[*gate.AlreadyBoughtError](err)
	switch {
	case len(l.has(r.Account, r.Ticket)) > 0:
		if !already {
			l.Fatalf("Retake: %v; want already bought", err)
		}
	case l.left() < r.Qty:
		if !errors.Is(err, gate.ErrSoldOut) {
			l.Fatalf("Retake: %v; want sold out", err)
		}
	default:
		l.check(err)
		l.out[r.Hold] = r
	}
}

func (l *life) release() {
	hold := rapid.SampledFrom(append(slices.Sorted(maps.Keys(l.out)), "unknown")).Draw(l.T, "hold")
	account := l.out[hold].Account
	if rapid.Bool().Draw(l.T, "whose is not known") {
		account = ""
	}
	l.dying(func(g *gate.Gate) error { _, err := g.Release(l.ctx, account, hold); return err })
	_, err := l.gate.Release(l.ctx, account, hold)
	l.check(err)
	if again, err := l.gate.Release(l.ctx, account, hold); again || err != nil {
		l.Fatalf("Release %s again = %v, %v; want false", hold, again, err)
	}
	if _, there := l.out[hold]; there {
		l.lapsed++
	}
	delete(l.out, hold)
}

func (l *life) setTotal() {
	ask := rapid.IntRange(0, 30).Draw(l.T, "total")
	l.dying(func(g *gate.Gate) error { _, err := g.SetTotal(l.ctx, ask); return err })
	want := max(ask, l.total-l.left())
	if got, err := l.gate.SetTotal(l.ctx, ask); err != nil || got != want {
		l.Fatalf("SetTotal(%d) = %d, %v; want %d", ask, got, err, want)
	}
	l.total = want
}

// mend finds nothing to do: every loss so far was one that repairs itself.
func (l *life) mend() {
	l.dying(func(g *gate.Gate) error { _, err := g.Mend(l.ctx, nil, nil); return err })
	if m, err := l.gate.Mend(l.ctx, nil, nil); err != nil || m != (gate.Mended{}) {
		l.Fatalf("Mend = %+v, %v; want nothing", m, err)
	}
}

// rebuild begins again when somebody has died over it, as a keeper does.
func (l *life) rebuild() {
	l.epoch++
	c := gate.Contents{Epoch: l.epoch, Total: max(l.total-l.left(), rapid.IntRange(0, 30).Draw(l.T, "total"))}
	for _, hold := range slices.Sorted(maps.Keys(l.out)) {
		r := l.out[hold]
		c.Live = append(c.Live, gate.Live{Receipt: r, Note: gate.Note{Reservation: l.out[hold].Hold, Status: gate.Held, Version: 1, Qty: r.Qty}})
	}
	l.check(l.gate.Close(l.ctx, "first"))
	l.drain()
	l.dying(func(g *gate.Gate) error { _, err := g.Rebuild(l.ctx, "first", c); return err })
	l.check(l.gate.Close(l.ctx, "second"))
	l.epoch++
	c.Epoch = l.epoch
	if ok, err := l.gate.Rebuild(l.ctx, "first", c); ok || err != nil {
		l.Fatalf("Rebuild of a gate that somebody else has closed = %v, %v; want false", ok, err)
	}
	for range 2 {
		if ok, err := l.gate.Rebuild(l.ctx, "second", c); !ok || err != nil {
			l.Fatalf("Rebuild = %v, %v; want true", ok, err)
		}
	}
	l.total, l.lapsed = c.Total, 0
}

func (l *life) drain() {
	for _, r := range l.gate.Winners("w") {
		ws, err := r.Read(l.ctx, 1000, -1)
		l.check(err)
		for _, w := range ws {
			l.check(r.Done(l.ctx, w.Entry))
		}
	}
}

func (l *life) name() string {
	l.names++
	return fmt.Sprintf("reservation-%03d", l.names)
}

func (l *life) account() string {
	return rapid.SampledFrom([]string{"ann", "bob", "cem", "dora", "eve", "finn", "gül"}).Draw(l.T, "account")
}

// ticket may be a copy of another account's.
func (l *life) ticket() string {
	return rapid.SampledFrom([]string{"t1", "t2", "t3", "t4", "t5", "t6"}).Draw(l.T, "ticket")
}

func (l *life) check(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

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

// model is what a gate's scripts must amount to, seen from outside.
type model struct {
	total   int
	dropped int               // units of receipts that went without giving them back
	lapsed  uint64            // orders that ended since the last rebuild
	out     map[string]held   // by hold
	keys    map[string]string // owner and idempotency key → hold
	stream  map[string]bool   // reservations on their way to the ledger
}

type held struct {
	owner string
	qty   int
}

func (m *model) units() (n int) {
	for _, h := range m.out {
		n += h.qty
	}
	return n
}

func (m *model) has(owner string) bool {
	for _, h := range m.out {
		if h.owner == owner {
			return true
		}
	}
	return false
}

// stock is below zero while more is out than there is.
func (m *model) stock() int { return m.total - m.units() - m.dropped }

func (m *model) remove(hold string) int {
	qty := m.out[hold].qty
	if qty > 0 {
		m.lapsed++
	}
	delete(m.out, hold)
	maps.DeleteFunc(m.keys, func(_, h string) bool { return h == hold })
	return qty
}

// history is one random life of a gate, held against the model step by step.
type history struct {
	*rapid.T
	ctx    context.Context
	gate   *gate.Gate
	reader *gate.Reader
	epoch  uint64
	names  int
	model
}

// limit is what one reservation may have.
const limit = 3

// Whatever happens in whatever order, stock and receipts make the total, no more
// is offered than there is, and what is done twice is done once.
func TestGate_AccountsForEveryUnitInAnyHistory(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, rdb *redis.Client) {
		most := 20
		if strings.HasSuffix(t.Name(), "/redis") {
			most = 10
		}
		var sales atomic.Int64
		rapid.Check(t, func(rt *rapid.T) {
			g := gate.New(rdb, fmt.Sprint("toy", sales.Add(1)), 1)
			h := &history{T: rt, ctx: t.Context(), gate: g, reader: g.Winners("w")[0], model: model{
				out: map[string]held{}, keys: map[string]string{}, stream: map[string]bool{},
			}}
			h.rebuild()
			steps := map[string]func(){
				"reserve": h.reserve, "reserve too": h.reserve, "reserve more": h.reserve, "retake": h.retake,
				"release": h.release, "drop": h.drop, "set total": h.setTotal,
				"arrive": h.arrive, "mend": h.mend, "rebuild": h.rebuild,
			}
			names := slices.Sorted(maps.Keys(steps))
			for range rapid.IntRange(1, most).Draw(rt, "steps") {
				steps[rapid.SampledFrom(names).Draw(rt, "step")]()
				h.compare()
			}
		})
	})
}

// compare holds the gate's own account against the model.
func (h *history) compare() {
	h.Helper()
	a, err := h.gate.Audit(h.ctx)
	h.check(err)
	out := map[string]held{}
	for _, r := range a.Receipts {
		out[r.Hold] = held{r.Account, r.Qty}
	}
	if !maps.Equal(out, h.out) {
		h.Fatalf("receipts %v; want %v", out, h.out)
	}
	if left := max(0, h.stock()); a.Total != h.total || a.Left != left || a.Backlog != len(h.stream) || !a.Open() || a.Misfiled != 0 || !a.Steady {
		h.Fatalf("gate %+v, %d misfiled; want %d left of %d, %d on their way", a.Snapshot, a.Misfiled, left, h.total, len(h.stream))
	}
	if won := h.lapsed + uint64(len(h.out)); a.Won != won || a.Lapsed != h.lapsed {
		h.Fatalf("gate counts %d won, %d lapsed; want %d, %d", a.Won, a.Lapsed, won, h.lapsed)
	}
}

func (h *history) reserve() {
	owner := h.owner()
	qty := rapid.IntRange(1, limit).Draw(h.T, "qty")
	r := gate.Request{
		Reservation: h.name(), Account: owner, Ticket: "ticket of " + owner, Digest: "d",
		Key: rapid.SampledFrom([]string{"k1", "k2"}).Draw(h.T, "key"),
		Qty: qty, PerAccount: limit, Hold: time.Minute, MaxBacklog: 1000,
	}
	stock, had := h.stock(), h.keys[owner+r.Key]
	got, err := h.gate.Reserve(h.ctx, r)
	if got.Mark.Epoch != h.epoch {
		h.Fatalf("Reserve = %+v, %v; want a mark of epoch %d", got, err, h.epoch)
	}
	switch _, already := errors.AsType[*gate.AlreadyBoughtError](err); {
	case had != "":
		if err != nil || !got.Again || got.Reservation != had {
			h.Fatalf("Reserve = %+v, %v; want %s again", got, err, had)
		}
	case h.has(owner):
		if !already {
			h.Fatalf("Reserve = %+v, %v; want already bought", got, err)
		}
	case stock < qty:
		if !errors.Is(err, gate.ErrSoldOut) {
			h.Fatalf("Reserve = %+v, %v; want sold out", got, err)
		}
	default:
		if err != nil || got.Again || got.Reservation != r.Reservation || got.Left != stock-qty {
			h.Fatalf("Reserve = %+v, %v; want a fresh hold, %d left", got, err, stock-qty)
		}
		h.out[r.Reservation], h.keys[owner+r.Key], h.stream[r.Reservation] = held{owner, qty}, r.Reservation, true
		if again, err := h.gate.Reserve(h.ctx, r); err != nil || !again.Again || again.Reservation != r.Reservation {
			h.Fatalf("Reserve, repeated = %+v, %v; want the same hold", again, err)
		}
	}
}

func (h *history) retake() {
	owner := h.owner()
	next := gate.HoldID(h.name(), 2)
	r := gate.Receipt{Hold: next, Account: owner, Ticket: "ticket of " + owner, Qty: rapid.IntRange(1, limit).Draw(h.T, "qty")}
	err := h.gate.Retake(h.ctx, r)
	switch _, already := errors.AsType[*gate.AlreadyBoughtError](err); {
	case h.has(owner):
		if !already {
			h.Fatalf("Retake: %v; want already bought", err)
		}
	case h.stock() < r.Qty:
		if !errors.Is(err, gate.ErrSoldOut) {
			h.Fatalf("Retake: %v; want sold out", err)
		}
	default:
		h.check(err)
		h.out[next] = held{owner, r.Qty}
		h.check(h.gate.Retake(h.ctx, r))
	}
}

func (h *history) release() { h.giveBack(h.gate.Release) }

func (h *history) drop() { h.dropped += h.giveBack(h.gate.Drop) }

func (h *history) giveBack(call func(ctx context.Context, account, hold string) (bool, error)) (units int) {
	hold := rapid.SampledFrom(append(h.holds(), "unknown")).Draw(h.T, "hold")
	of, there := h.out[hold]
	for _, want := range []bool{there, false} {
		if got, err := call(h.ctx, of.owner, hold); err != nil || got != want {
			h.Fatalf("give back %s = %v, %v; want %v", hold, got, err, want)
		}
	}
	return h.remove(hold)
}

func (h *history) setTotal() {
	ask := rapid.IntRange(0, 12).Draw(h.T, "total")
	want := max(ask, h.total-max(0, h.stock())) // what is out stays out
	for range 2 {
		if got, err := h.gate.SetTotal(h.ctx, ask); err != nil || got != want {
			h.Fatalf("SetTotal(%d) = %d, %v; want %d", ask, got, err, want)
		}
	}
	h.total = want
}

// arrive lets the ledger take what is on its way.
func (h *history) arrive() {
	ws, err := h.reader.Read(h.ctx, 100, -1)
	h.check(err)
	for _, w := range ws {
		if !h.stream[w.Reservation] || w.Fault != nil {
			h.Fatalf("winner %+v; want one of %v", w, h.stream)
		}
		h.check(h.reader.Done(h.ctx, w.Entry))
		delete(h.stream, w.Reservation)
	}
	if len(h.stream) > 0 {
		h.Fatalf("%v did not arrive", h.stream)
	}
}

func (h *history) mend() {
	before, freed := h.stock(), 0
	orphans := h.some("orphans")
	var missing []gate.Live
	var gone []gate.Receipt
	audit, err := h.gate.Audit(h.ctx)
	h.check(err)
	for _, r := range audit.Receipts {
		if slices.Contains(orphans, r.Hold) {
			gone = append(gone, r)
		}
	}
	for range rapid.IntRange(0, 2).Draw(h.T, "missing") {
		l := liveOrder(h.name(), held{h.owner(), rapid.IntRange(1, 2).Draw(h.T, "qty")})
		missing = append(missing, l)
		h.out[l.Hold] = held{l.Account, l.Qty}
	}
	for _, hold := range orphans {
		if !h.stream[hold] {
			freed += h.remove(hold)
		}
	}
	h.dropped = 0
	want := gate.Mended{Restored: len(missing), Freed: freed, Shifted: h.stock() - before - freed}
	for i := range 2 {
		got, err := h.gate.Mend(h.ctx, missing, gone)
		if err != nil || got != want {
			h.Fatalf("Mend, run %d = %+v, %v; want %+v", i+1, got, err, want)
		}
		want = gate.Mended{}
	}
}

func (h *history) rebuild() {
	h.check(h.gate.Close(h.ctx, "test"))
	h.epoch++
	kept := h.some("live")
	c := gate.Contents{Epoch: h.epoch, Total: rapid.IntRange(0, 12).Draw(h.T, "total")}
	for _, hold := range kept {
		c.Live = append(c.Live, liveOrder(hold, h.out[hold]))
	}
	if len(h.stream) > 0 {
		if ok, err := h.gate.Rebuild(h.ctx, "test", c); ok || err != nil {
			h.Fatalf("Rebuild = %v, %v; want false while winners are on their way", ok, err)
		}
		h.arrive()
	}
	for range 2 {
		if ok, err := h.gate.Rebuild(h.ctx, "test", c); !ok || err != nil {
			h.Fatalf("Rebuild = %v, %v; want true", ok, err)
		}
	}
	maps.DeleteFunc(h.out, func(hold string, _ held) bool { return !slices.Contains(kept, hold) })
	maps.DeleteFunc(h.keys, func(_, hold string) bool { _, out := h.out[hold]; return !out })
	h.total, h.dropped, h.lapsed = c.Total, 0, 0
}

func liveOrder(hold string, of held) gate.Live {
	return gate.Live{
		Receipt: gate.Receipt{Hold: hold, Account: of.owner, Ticket: "ticket of " + of.owner, Qty: of.qty},
		Note:    gate.Note{Reservation: hold, Status: gate.Held, Version: 1, Qty: of.qty},
	}
}

// name is a reservation's, the same whenever the history is played again.
func (h *history) name() string {
	h.names++
	return fmt.Sprintf("reservation-%03d", h.names)
}

func (h *history) owner() string {
	return rapid.SampledFrom([]string{"ann", "bob", "cem", "dora", "eve"}).Draw(h.T, "owner")
}

func (h *history) holds() []string { return slices.Sorted(maps.Keys(h.out)) }

// some are any of the holds.
func (h *history) some(what string) (picked []string) {
	for _, hold := range h.holds() {
		if rapid.Bool().Draw(h.T, what) {
			picked = append(picked, hold)
		}
	}
	return picked
}

func (h *history) check(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

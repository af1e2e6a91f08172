package proxy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/shedding"
	"github.com/waitroom/waitroom/static"
)

const (
	tickEvery = 100 * time.Millisecond
	idleEvery = time.Second     // for sales whose doors are far, or that are over
	idleUntil = 2 * time.Minute // before the doors
	tickWait  = 2 * time.Second // deadline of one tick's calls
	// staleAfter without an answer of the stores, nobody is let through.
	staleAfter = 2 * time.Second
)

// door is one sale on this edge: its line, its gate and the board of what this
// edge last knew of both. It survives reloads that do not touch its sale.
type door struct {
	sale    *configs.Sale
	brand   *static.Brand // nil: none
	offered string        // languages, with blanks between
	line    *queueing.Line
	gate    *gate.Gate
	latch   shedding.Latch[gate.Mark]
	got     *holders
	board   atomic.Pointer[board] // nil until the first tick

	ticking atomic.Bool
	waits   bool      // the draw, for its public value; the tick's own
	trouble trouble   // the tick's own
	next    time.Time // of the tick; the ticker's own
}

func newDoor(sale *configs.Sale, brand *static.Brand, rdb redis.UniversalClient) *door {
	return &door{sale: sale, brand: brand, offered: strings.Join(sale.Languages, " "), line: queueing.NewLine(rdb, sale), gate: gate.New(rdb, sale.Key, sale.Buckets), got: newHolders()}
}

// tick asks line and gate how they stand and puts up a new board. When they do
// not answer, the old board goes up again as stale.
func (d *door) tick(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tickWait)
	defer cancel()
	last := d.board.Load()
	line, look, err := d.ask(ctx, last)
	if err != nil {
		if last != nil && time.Since(last.taken) > staleAfter && last.state == stateOpen {
			d.board.Store(newBoard(d.sale, last, last.line, last.gate, last.taken, true))
		}
		return fmt.Errorf("tick sale %s: %w", d.sale.ID, err)
	}
	d.observe(look)
	d.board.Store(newBoard(d.sale, last, line, look, time.Now(), false))
	if err := d.got.roster.learn(ctx, d.gate, look); err != nil {
		return fmt.Errorf("tick sale %s: %w", d.sale.ID, err)
	}
	return nil
}

func (d *door) ask(ctx context.Context, last *board) (*queueing.Snapshot, gate.Snapshot, error) {
	spent, looked := d.line.Spent(), time.Time{} // before the look: what was spent is missing in it
	if last != nil {
		looked = last.now()
	}
	look, err := d.gate.Look(ctx)
	if err != nil {
		return nil, look, err
	}
	calling := look.Open() && look.Offered() > 0
	stock := stockOf(d.sale, look, last)
	stock.Tail, stock.Spent, stock.Looked = last.nextTail(), spent, looked
	line, err := d.line.Tick(ctx, calling, stock)
	return line, look, err
}

// beganToWait reports, after a tick, whether the draw is overdue and was not
// before.
func (d *door) beganToWait() bool {
	b := d.board.Load()
	was := d.waits
	d.waits = b != nil && b.line.Overdue()
	return d.waits && !was
}

// observe takes a look at the gate into account.
func (d *door) observe(look gate.Snapshot) {
	if look.Open() {
		d.latch.Observe(look.Offered(), look.Mark)
	}
}

// due reports whether the door wants a tick now, and notes when it wants the
// next. Far from its doors, and once nothing about it moves, a sale is looked at
// seldom.
func (d *door) due(now time.Time) bool {
	if now.Before(d.next) {
		return false
	}
	d.next = now.Add(tickEvery)
	if b := d.board.Load(); b != nil && d.idle(b.state, b.now()) {
		d.next = now.Add(idleEvery)
	}
	return true
}

func (d *door) idle(state string, now time.Time) bool {
	return state == stateScheduled && now.Add(idleUntil).Before(d.sale.Doors) || now.After(d.sale.Over())
}

// nothingLeft reports whether there is nothing to be had now.
func (d *door) nothingLeft(b *board) bool {
	return b.state == stateSoldOut || b.state == stateAllHeld || b.state == stateOpen && d.latch.SoldOut()
}

// reserve asks the gate for units and keeps the latch up to date.
func (d *door) reserve(ctx context.Context, r gate.Request) (gate.Hold, error) {
	h, err := d.gate.Reserve(ctx, r)
	switch {
	case err == nil && h.Left == 0 && !h.Again, errors.Is(err, gate.ErrSoldOut) && r.Qty == 1:
		d.latch.Refused(h.Mark)
	}
	return h, err
}

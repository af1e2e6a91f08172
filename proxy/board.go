package proxy

import (
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/shedding"
)

// The public states of a sale (the contract's `state`).
const (
	stateScheduled = "scheduled"
	stateDoors     = "doors"
	stateOpen      = "open"
	statePaused    = "paused"
	stateAllHeld   = "all_held"
	stateSoldOut   = "sold_out"
	stateEnded     = "ended"
)

// board is what this edge knows of a sale at one tick. It never changes; the
// next tick puts a new one up.
type board struct {
	sale   *configs.Sale
	line   *queueing.Snapshot
	gate   gate.Snapshot
	state  string
	stale  bool
	taken  time.Time // this edge's clock when line.Now was read
	since  time.Time // when the file came to say of the hopeless what it says, on the line's clock
	status document
	odds   odds // as published, so that `me` and page agree
}

// newBoard draws up a board that replaces last, nil if it is the first. stale
// says that the stores have not answered for a while: places are kept, but
// nobody is let through.
func newBoard(sale *configs.Sale, last *board, line *queueing.Snapshot, g gate.Snapshot, taken time.Time, stale bool) *board {
	b := &board{sale: sale, line: line, gate: g, taken: taken, stale: stale}
	b.state = saleState(line.State, gateState(g), stale)
	if b.since = line.Now; last != nil && shedding.TermsOf(last.sale) == shedding.TermsOf(sale) {
		b.since = last.since
	}
	if last != nil && last.sale == sale && last.stale == stale && last.line.Shown.Now.Equal(line.Shown.Now) {
		b.status, b.odds = last.status, last.odds
	} else {
		b.odds = oddsOf(line.Shown)
		b.status = statusDocument(sale, line.Shown, b.odds, stale)
	}
	return b
}

// now is Redis time, carried on by this edge's monotonic clock since the tick.
func (b *board) now() time.Time { return b.line.Now.Add(time.Since(b.taken)) }

// gateState is what a gate makes of an open sale.
func gateState(g gate.Snapshot) string {
	switch {
	case !g.Open():
		return statePaused
	case g.Final():
		return stateSoldOut
	case g.Offered() == 0:
		return stateAllHeld
	default:
		return stateOpen
	}
}

// saleState is the sale's public state, from the line's and from what the gate
// makes of it (see gateState).
func saleState(line queueing.State, stock string, stale bool) string {
	switch {
	case line == queueing.StateScheduled:
		return stateScheduled
	case line == queueing.StateEnded && stock == stateSoldOut:
		return stateSoldOut
	case line == queueing.StateEnded:
		return stateEnded
	case line == queueing.StatePaused:
		return statePaused
	case line == queueing.StateDoors:
		return stateDoors
	case stale:
		return statePaused
	default:
		return stock
	}
}

// nextTail is the verdict on all who wait that this edge would publish next, from
// the one that was published last and from what it saw then. A board that is nil has
// seen nothing, so it has nothing to say.
//
// The gate of a board was looked at before its line was. So whoever has taken a unit
// that is missing from it was below the head already, and is not reckoned with once
// more as somebody who may still take one.
func (b *board) nextTail() string {
	if b == nil {
		return ""
	}
	last := shedding.ParseTail(b.line.Shown.Stock.Tail)
	terms := shedding.TermsOf(b.sale)
	terms.Since = b.since
	return last.Next(terms, b.sight()).String()
}

// sight is what the board shows of how a sale goes.
func (b *board) sight() shedding.Sight {
	return shedding.Sight{
		Now: b.line.Now, Open: b.line.State == queueing.StateOpen && b.gate.Open() && !b.stale,
		Head: b.line.Head, Rate: b.line.Rate,
		Left: b.gate.Offered(), Held: heldIn(b.gate), Paid: b.gate.Paid,
		Won: b.gate.Won, Lapsed: b.gate.Lapsed,
	}
}

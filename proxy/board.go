package proxy

import (
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
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
	taken  time.Time // this edge's clock when line.Now was read
	status document
}

// newBoard draws up a board that replaces last, nil if it is the first. stale
// says that the stores have not answered for a while: places are kept, but
// nobody is let through.
func newBoard(sale *configs.Sale, last *board, line *queueing.Snapshot, g gate.Snapshot, taken time.Time, stale bool) *board {
	b := &board{sale: sale, line: line, gate: g, taken: taken}
	b.state = saleState(line.State, g, stale)
	if last != nil && last.sale == sale && last.state == b.state && last.line.Now.Unix() == line.Now.Unix() {
		// Everybody, and each CDN, has the same bytes for a second of Redis time.
		b.status = last.status
	} else {
		b.status = statusDocument(b)
	}
	return b
}

// now is Redis time, carried on by this edge's monotonic clock since the tick.
func (b *board) now() time.Time { return b.line.Now.Add(time.Since(b.taken)) }

// saleState is the sale's public state, from what line and gate say.
func saleState(line queueing.State, g gate.Snapshot, stale bool) string {
	switch line {
	case queueing.StateScheduled:
		return stateScheduled
	case queueing.StateEnded:
		if g.Final() {
			return stateSoldOut
		}
		return stateEnded
	case queueing.StatePaused:
		return statePaused
	case queueing.StateDoors:
		return stateDoors
	}
	switch {
	case stale || !g.Open():
		return statePaused
	case g.Final():
		return stateSoldOut
	case g.Left == 0:
		return stateAllHeld
	default:
		return stateOpen
	}
}

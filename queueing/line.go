package queueing

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
)

// Why the line says no.
var (
	ErrNotOpen   = errors.New("not open yet")
	ErrEnded     = errors.New("sale has ended")
	ErrPaused    = errors.New("sale is paused")
	ErrNotCalled = errors.New("place not called yet")
	ErrLeft      = errors.New("pass was released")
	ErrSpent     = errors.New("proof was used before, or has ended")
)

// Line is one sale's line in Redis. Any number of Lines, on any number of
// edges, are the same line. Every decision is one script on Redis time.
type Line struct {
	store
	enters *together[Entry, entered]
	claims *together[Turn, claimed]

	matched bool   // never more passes are unused than units are left
	each    uint64 // units that one pass may take
	units   *units
}

// NewLine is cheap and calls nobody. The client should heed the deadlines of
// contexts (ContextTimeoutEnabled) and must not retry by itself: a repeated entry
// would waste numbers.
func NewLine(rdb redis.UniversalClient, sale *configs.Sale) *Line {
	return newLine(rdb, sale, newMemory(), newUnits())
}

// Again is the line under a changed configuration of the same key: what this edge
// remembers of it goes on. With another key it is a line of which nothing is known.
// Both may be used at once.
func (l *Line) Again(sale *configs.Sale) *Line {
	if sale.Key != l.plan.key {
		return NewLine(l.rdb, sale)
	}
	return newLine(l.rdb, sale, l.memory, l.units)
}

func newLine(rdb redis.UniversalClient, sale *configs.Sale, memory *memory, units *units) *Line {
	l := &Line{store: store{rdb: rdb, keys: lineKeys(sale.Key), memory: memory, plan: plan{
		key: sale.Key, doors: sale.Doors, opens: sale.Opens, closes: sale.Closes,
		rate: sale.Admit, burst: sale.Burst, mix: sale.Mix,
	}}, matched: sale.MatchStock, each: uint64(max(1, sale.PerAccount)), units: units}
	l.enters = newTogether(maxNamed, Entry.named, l.enter)
	l.claims = newTogether(maxClaims, nil, l.claim)
	return l
}

// Tick moves the line on and gives its picture. Every edge ticks, as often as
// it likes: the head's speed does not depend on it. With calling false the
// head stands, because there is nothing to sell at the moment. stock is what
// this edge knows of it; if its tick is the first of a turn, that is published
// with the picture (see Snapshot.Shown). While people enter it is to tick so often
// that after a loss it has said within a third of a second what it remembers.
//
// Where passes are matched to units it also tells what [Line.Spend] noted, and how
// many passes there may be: as many as stock says are left, none if it does not call.
func (l *Line) Tick(ctx context.Context, calling bool, stock Stock) (*Snapshot, error) {
	if len(stock.Tail) > MaxTail {
		return nil, fmt.Errorf("tick line: a tail of %d bytes, at most %d are carried", len(stock.Tail), MaxTail)
	}
	if l.matched {
		return l.tickUnits(ctx, calling, stock)
	}
	s, _, err := l.tick(ctx, scriptTick, lineFields, l.picture, append([]any{digit(calling)}, stock.args()...)...)
	return s, err
}

package queueing

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// unitLife is how long a pass lives that keeps a unit from others.
const unitLife = time.Minute

// units are the passes of which Redis is to be told that they are spent. What finds
// no space is not told: such a pass ends by itself.
type units struct {
	mu    sync.Mutex
	spent map[spending]struct{}
}

// spending is a pass that got its units.
type spending struct {
	turn     Turn
	admitted int64 // Unix milliseconds: of the turn's passes it is the one of then
}

const (
	spentKept = 1 << 16
	spentTold = 1000 // with one tick
)

func newUnits() *units { return &units{spent: map[spending]struct{}{}} }

// Spend notes that the gate has given units for a turn's pass, the one that was
// admitted then. It makes no call: a next tick tells Redis, and then the pass is no
// more among those that are unused. Spending it again changes nothing, and one whose
// tick fails is told with the next. If it cannot be told at all, the pass keeps a unit
// from others until it ends.
//
// Where passes are not matched to units there is nothing to note.
func (l *Line) Spend(t Turn, admitted time.Time) {
	if !l.matched {
		return
	}
	l.units.mu.Lock()
	defer l.units.mu.Unlock()
	if len(l.units.spent) < spentKept {
		l.units.spent[spending{t, admitted.UnixMilli()}] = struct{}{}
	}
}

// Spent is how many spent passes this edge knows of, see Stock.Spent. To be read
// before the look at the gate, never after it: of those it counts the units were
// gone by then.
func (l *Line) Spent() uint64 { return uint64(l.memory.recall().spent) }

// tickUnits is Tick where passes are matched to units.
func (l *Line) tickUnits(ctx context.Context, calling bool, stock Stock) (*Snapshot, error) {
	told := l.units.take()
	args := append(append(l.unitArgs(), digit(calling)), append(stock.args(), stock.Spent)...)
	for _, t := range told {
		args = append(args, t.turn.arg(), t.admitted)
	}
	s, _, err := l.tick(ctx, scriptUnitTick, unitFields, l.unitPicture, args...)
	if err != nil {
		l.units.putBack(told)
	}
	return s, err
}

// unitArgs are what the scripts are told first where passes are matched to units,
// see lua/units.lua.
func (l *Line) unitArgs() []any {
	r := l.memory.recall()
	return []any{unitLife.Microseconds(), r.spent, r.mayBeUnused()}
}

// unitPicture reads what lua/tick.lua draws there.
func (l *Line) unitPicture(fields reply) (*Snapshot, remembered, error) {
	const cut = lineFields
	if len(fields) != unitFields {
		return nil, remembered{}, fmt.Errorf("read reply: %d fields, want %d", len(fields), unitFields)
	}
	s, seen, err := l.picture(fields[:cut])
	if err != nil {
		return nil, seen, err
	}
	var free uint64
	if err := fields[cut:].scan(&seen.spent, &seen.unused, &free); err != nil {
		return nil, seen, err
	}
	seen.counted = seen.passes
	s.Matched, s.Spent, s.Unused, s.Free = true, uint64(seen.spent), uint64(seen.unused), free/l.each
	return s, seen, nil
}

// take gives what one tick tells.
func (u *units) take() (told []spending) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for t := range u.spent {
		if len(told) == spentTold {
			break
		}
		told = append(told, t)
		delete(u.spent, t)
	}
	return told
}

// putBack is for a tick that failed: telling twice is harmless.
func (u *units) putBack(told []spending) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, t := range told {
		u.spent[t] = struct{}{}
	}
}

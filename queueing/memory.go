package queueing

import "sync"

// memory is what an edge has seen of a line, told to Redis in every call in
// case Redis forgot. It only grows.
type memory struct {
	mu sync.Mutex
	remembered
}

type remembered struct {
	born    int64  // Redis microseconds at which the seed was put, 0: not seen
	seed    Seed   // until born is known, a candidate
	drawn   int64  // how many are in the draw, -1: not seen
	drawnAt int64  // Redis microseconds at which they were counted
	mixed   string // the draw's public value; empty: not seen
	mixedAt int64  // Redis microseconds at which it was given
	entered int64
	behind  int64 // numbers behind the draw; once there is one, final
	head    int64
	passes  int64
	acts    acts

	// Where passes are matched to units.
	spent   int64 // passes
	unused  int64 // passes, when there were so many in all:
	counted int64
}

// mayBeUnused is how many passes are unused at most, as far as this edge knows.
func (r remembered) mayBeUnused() int64 { return r.unused + r.passes - r.counted }

// acts are what the operators have done, by edition.
type acts struct {
	edition     int64
	paused      bool
	rate, burst float64 // 0: the sale's own
	message     string
}

func newMemory() *memory {
	seed, err := NewSeed()
	if err != nil {
		panic(err) // crypto/rand never fails; if it could, no draw would be fair
	}
	return &memory{remembered: remembered{seed: seed, drawn: -1}}
}

func (m *memory) recall() remembered {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.remembered
}

// learn takes what Redis said. Replies can overtake each other, so the older
// seed, draw and value, the higher counts and the later edition stay, as in
// lua/line.lua.
func (m *memory) learn(seen remembered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.born == 0 || seen.born < m.born {
		m.born, m.seed, m.drawn, m.mixed = seen.born, seen.seed, -1, ""
	}
	if seen.born == m.born && seen.drawn >= 0 && (m.drawn < 0 || seen.drawnAt < m.drawnAt) {
		m.drawn, m.drawnAt, m.behind = seen.drawn, seen.drawnAt, seen.behind
	} else if m.drawn < 0 {
		m.behind = max(m.behind, seen.behind)
	}
	if seen.born == m.born && seen.mixed != "" && (m.mixed == "" || seen.mixedAt < m.mixedAt) {
		m.mixed, m.mixedAt = seen.mixed, seen.mixedAt
	}
	m.entered = max(m.entered, seen.entered)
	m.head = max(m.head, seen.head)
	m.passes = max(m.passes, seen.passes)
	m.spent = max(m.spent, seen.spent)
	if seen.counted >= m.counted {
		m.unused, m.counted = seen.unused, seen.counted
	}
	if seen.acts.edition > m.acts.edition {
		m.acts = seen.acts
	}
}

// args are what every script is told after the plan, see REMEMBERED in
// lua/line.lua.
func (r remembered) args() []any {
	return []any{
		r.born, r.seed.String(), r.drawn, r.drawnAt, r.mixed, r.mixedAt, r.entered, r.behind, r.head, r.passes,
		r.acts.edition, digit(r.acts.paused), r.acts.rate, r.acts.burst, r.acts.message,
	}
}

// fields are where scan puts what tell in lua/line.lua says.
func (r *remembered) fields() []any {
	return []any{
		&r.born, &r.seed, &r.drawn, &r.drawnAt, &r.mixed, &r.mixedAt, &r.entered, &r.behind, &r.head, &r.passes,
	}
}

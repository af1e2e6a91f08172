package queueing

import (
	"cmp"
	"sync"
)

// memory is what an edge has seen of a line, told to Redis in every call in
// case Redis forgot. It only grows.
type memory struct {
	mu sync.Mutex
	remembered
}

type remembered struct {
	born    int64  // Redis microseconds at which the seed was put, 0: not seen
	seed    Seed   // until born is known, a candidate
	mixed   string // the draw's public value; empty: not seen
	entered int64
	drawn   int64 // -1: not seen
	head    int64
	passes  int64
	acts    acts
}

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
// seed, the higher counts and the later edition stay, as in lua/line.lua.
func (m *memory) learn(seen remembered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.born == 0 || seen.born < m.born {
		m.born, m.seed, m.drawn, m.mixed = seen.born, seen.seed, seen.drawn, seen.mixed
	}
	if seen.born == m.born {
		m.drawn = max(m.drawn, seen.drawn)
		m.mixed = cmp.Or(m.mixed, seen.mixed)
	}
	m.entered = max(m.entered, seen.entered)
	m.head = max(m.head, seen.head)
	m.passes = max(m.passes, seen.passes)
	if seen.acts.edition > m.acts.edition {
		m.acts = seen.acts
	}
}

// count takes how many passes were given so far.
func (m *memory) count(passes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.passes = max(m.passes, passes)
}

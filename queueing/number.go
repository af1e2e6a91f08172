package queueing

import "strconv"

// Number is what an entry was given, or an invitation carries. There are three
// counts, each from 0: of those who entered, of those who were put behind the draw,
// and of the invited. Nobody is both of the latter.
type Number struct {
	Value   uint64
	Behind  bool // stands behind all who are in the draw
	Invited bool // stands before all who entered
}

// Turn is what a pass is claimed for: a place, or an invitation, whose turn comes
// before every place.
type Turn struct {
	Place   uint64 // of an invitation its number
	Invited bool
}

// arg is the turn as lua/claim.lua reads it.
func (t Turn) arg() string {
	text := strconv.FormatUint(t.Place, 10)
	if t.Invited {
		return "i" + text
	}
	return text
}

// Turn is that of a number, ok from the moment on at which it has a place; an
// invitation needs none.
func (s *Snapshot) Turn(n Number) (t Turn, ok bool) {
	if n.Invited {
		return Turn{Place: n.Value, Invited: true}, true
	}
	t.Place, ok = s.Place(n)
	return t, ok
}

// Place is where a number stands. There is none before the draw, but for those behind
// it, as soon as it is known how many take part: who was put there follows them, in
// the order of those numbers, and then come all who entered later. An invitation has
// none.
func (s *Snapshot) Place(n Number) (place uint64, ok bool) {
	switch {
	case n.Invited:
	case s.Draw != nil && !n.Behind:
		return s.Draw.Place(n.Value), true
	case s.Counted && n.Behind:
		return s.DrawnCount + n.Value, true
	case s.Counted && n.Value >= s.DrawnCount:
		return n.Value, true
	}
	return 0, false
}

package shedding

import "math"

// Tail is what is told to a whole line at one moment: from which place on it is
// hopeless, and the odds of every place. It is a value that is carried on from look
// to look as text, so that whoever looks next goes on from there; the zero Tail
// knows nothing, and calls nobody hopeless.
//
// Invariants: a place that was told stays told, however the line moves on, until it
// has a real chance again; what is told depends on what was seen, and on the terms
// that came last, not on who saw it.
type Tail struct {
	agreed
	learned
	from  uint64 // places from here on are hopeless; nowhere: none
	known bool   // there are words
	words words
}

// nowhere is behind every place.
const nowhere = 1 << 50

// Next is the verdict after another look, by an edge whose own file says these terms.
func (t Tail) Next(own Terms, s Sight) Tail {
	if !s.Open || !s.sound() {
		t.learned.since = 0
		return t
	}
	if t.at == 0 {
		t.from = nowhere
	}
	anew := s.Head < t.last.head // another line, in which places are other people's
	var ok bool
	if t.learned, ok = t.learned.next(s); !ok {
		return t
	}
	if anew {
		t.from = nowhere
	}
	if !t.known {
		t.agreed = own.agreed()
	}
	t.agreed = t.agreed.with(own.agreed())
	terms := t.agreed.terms()
	if soonest, latest := t.judge(terms, s); t.from < soonest || latest < t.from {
		t.from = min(max(t.from, soonest), latest)
	}
	t.words, t.known = t.word(terms, s), true
	return t
}

// judge is from which place on nobody has the chance that the terms ask for, which
// is latest, and from where on nobody has a real one. Who is told stays told in
// between, so that the verdict does not go back and forth with each unit.
func (t Tail) judge(terms Terms, s Sight) (soonest, latest uint64) {
	switch units := uint64(s.units()); {
	case terms.Off:
		return nowhere, nowhere
	case units == 0:
		return s.Head, s.Head
	case terms.LinePerUnit > 0:
		all := min(units*uint64(terms.LinePerUnit), nowhere)
		// Who was told stays told for a tenth more, or each place that is called before
		// a unit is paid for would call somebody back.
		return s.Head + all - all/10, min(s.Head+all, nowhere)
	}
	chance := 1 - terms.Certainty
	if !(chance > 0 && chance < 1) {
		return nowhere, nowhere
	}
	// Half of what may go wrong is left to chance, the other to what was learned.
	sure, likely := t.converts(terms, s, chance/2)
	latest = from(s.Head+s.racing(), s.units(), sure, math.Log(chance/2))
	// Those who were called in the time that people take to buy may still do so.
	soonest = from(max(s.Head, s.racing()), s.Left+(s.Held+1)/2, likely, again*math.Log(chance))
	return min(soonest, latest), latest
}

// again is how much nearer to certainty a place is when it is told than when it is
// called back: a chance of 1 in 1000 has to grow to 1 in 100.
const again = 2. / 3

// from is the first place for which those behind a place, and ahead of it, leave none
// of so many units but with a probability of e^limit.
func from(place uint64, units int, p, limit float64) uint64 {
	ahead, ok := fewest(units, p, limit)
	if !ok {
		return nowhere
	}
	return min(place+ahead, nowhere)
}

// HopelessAhead is the fewest people ahead with whom a place is hopeless, when so
// many places have been called: head is that of the picture it is published with.
// ok is false if nobody is.
func (t Tail) HopelessAhead(head uint64) (ahead uint64, ok bool) {
	if !t.known || t.from >= nowhere {
		return 0, false
	}
	return t.from - min(t.from, head), true
}

package shedding

// Tail is what is told to a whole line: from which place on it is hopeless, and
// the odds before that. It is a value that is carried on from look to look as
// text, so that whoever looks next goes on from there; the zero Tail knows nothing
// and calls nobody hopeless.
//
// Invariants: places that were told stay told, however the line moves on, until
// there is a chance again; what is told never depends on who looked.
type Tail struct {
	known bool
	from  uint64 // places from here on are hopeless; longestLine: none
	head  uint64 // at the last look
}

// Next is the verdict after another look.
func (t Tail) Next(terms Terms, s Sight) Tail {
	if !s.Open {
		return t
	}
	next := Tail{known: true, from: longestLine, head: s.Head}
	if terms.Off {
		return next
	}
	odds := Question{Left: s.Left, Held: s.Held, Conversion: terms.Conversion, Certainty: terms.Certainty}
	if ahead, ok := HopelessFrom(odds); ok {
		next.from = min(s.Head+ahead, longestLine)
	}
	return next
}

// HopelessAhead is the fewest people ahead with whom a place is hopeless, when so
// many places have been called: head is that of the picture it is published with.
// ok is false if nobody is.
func (t Tail) HopelessAhead(head uint64) (ahead uint64, ok bool) {
	if !t.known || t.from >= longestLine {
		return 0, false
	}
	return t.from - min(t.from, head), true
}

// Odds are the words for each place, when so many have been called. They say
// nothing where nothing is known.
func (t Tail) Odds(head uint64) Odds { return Odds{} }

// String is the tail as ParseTail reads it: short, of letters that need no quotes.
func (t Tail) String() string { return "" }

// ParseTail reads what String wrote. Anything else is the zero Tail.
func ParseTail(text string) Tail { return Tail{} }

package shedding

import "math"

// Word is what is said of a chance.
type Word string

// The words, of which each is true of the whole range in which the chance lies.
// Nothing better than uncertain is said in doubt.
const (
	Good           Word = "good"             // 4 in 5 or more, even if all is reckoned cautiously
	BetterThanEven Word = "better_than_even" // more than 1 in 2, even so
	Uncertain      Word = "uncertain"
	LessThanEven   Word = "less_than_even" // less than 1 in 2, even if all is reckoned hopefully
	Small          Word = "small"          // 1 in 10 at most, even so
)

// Odds are the words for every place of a line at one moment, by how many people
// are ahead of it. Where a word holds for nobody, its number is nil.
type Odds struct {
	Good           *uint64 `json:"good"`             // with so many ahead at most
	BetterThanEven *uint64 `json:"better_than_even"` // with so many ahead at most
	LessThanEven   *uint64 `json:"less_than_even"`   // with so many ahead, or more
	Small          *uint64 `json:"small"`            // with so many ahead, or more
}

// Word is the strongest that holds with so many people ahead.
func (o Odds) Word(ahead uint64) Word {
	upTo := func(n *uint64) bool { return n != nil && ahead <= *n }
	from := func(n *uint64) bool { return n != nil && ahead >= *n }
	switch {
	case upTo(o.Good):
		return Good
	case upTo(o.BetterThanEven):
		return BetterThanEven
	case from(o.Small):
		return Small
	case from(o.LessThanEven):
		return LessThanEven
	default:
		return Uncertain
	}
}

// words are the borders of the words, as places: those before good and better have
// it, and those from less and small on.
type words struct{ good, better, less, small uint64 }

// word puts each border where the word is true at both ends of what may be. At the
// cautious end whoever holds a unit keeps it, whoever was called and has not had
// the time is ahead, and so are those who are called so soon afterwards that they may
// be faster; and they take units, each as many as there may be, drift times as often
// as was found possible. At the hopeful end it is as for the hopeless.
func (t Tail) word(terms Terms, s Sight) (w words) {
	others := s.Head - min(s.Head, t.ripe) + uint64(terms.Invitations) + s.racing()
	before := func(limit float64) uint64 {
		n, ok := most(s.Left/terms.most(), min(drift*t.takes(), 1), limit)
		if !ok || n < others {
			return 0
		}
		return s.Head + n - others + 1
	}
	w.good, w.better = before(math.Log(0.2)), before(math.Log(0.5))
	if s.units() == 0 {
		w.less, w.small = s.Head, s.Head
		return w
	}
	p, _ := t.converts(terms, s, mild)
	called := s.Head + s.racing()
	w.less, w.small = from(called, s.units(), p, math.Log(0.5)), from(called, s.units(), p, math.Log(0.1))
	return w
}

// Odds are the words, when so many places have been called: head is that of the
// picture they are published with. They are empty where nothing is known.
func (t Tail) Odds(head uint64) (o Odds) {
	if !t.known {
		return o
	}
	before := func(place uint64) *uint64 {
		if place <= head {
			return nil
		}
		ahead := place - 1 - head
		return &ahead
	}
	from := func(place uint64) *uint64 {
		if place >= nowhere {
			return nil
		}
		ahead := place - min(place, head)
		return &ahead
	}
	return Odds{before(t.words.good), before(t.words.better), from(t.words.less), from(t.words.small)}
}

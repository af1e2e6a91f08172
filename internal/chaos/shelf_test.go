package chaos_test

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

const names = 5 // accounts of a history

// shelf is all that a gate is, as one that does one thing at a time.
type shelf struct {
	total, left int
	out         [names]out // what each account has
}

type out struct {
	hold string // empty: nothing
	qty  int
}

// ask is a call of the gate.
type ask struct {
	what    string // reserve, release, total or look
	account int
	hold    string
	qty     int // of a reserve; the total that is wanted
}

// said is how it ended.
type said struct {
	what string // ok, already, sold out, too few, nothing, doubt
	hold string // of already
	n    int    // the total that came of it, the units left
}

// step is every state in which an ask with this answer can leave the shelf; none
// when the answer is wrong. What ended in doubt may have been done, or not, or may
// be done later.
func (s shelf) step(a ask, answer said) (after []any) {
	had := s.out[a.account]
	can := func(ok bool, next shelf) {
		if ok {
			after = append(after, next)
		}
	}
	taken, freed := s, s
	taken.left -= a.qty
	taken.out[a.account] = out{a.hold, a.qty}
	freed.left += had.qty
	freed.out[a.account] = out{}
	mine := had.hold == a.hold
	free := had.hold == "" && s.left >= a.qty
	switch a.what + ": " + answer.what {
	case "reserve: ok":
		can(mine, s)
		can(free, taken)
	case "reserve: already":
		can(!mine && had.hold == answer.hold, s)
	case "reserve: sold out":
		can(had.hold == "" && s.left < a.qty, s)
	case "reserve: too few":
		can(s.left < a.qty, s)
	case "reserve: doubt":
		can(true, s)
		can(free, taken)
	case "release: ok":
		can(mine, freed)
	case "release: nothing": // it may have been the first copy of this very call that did it
		can(mine, freed)
		can(!mine, s)
	case "release: doubt":
		can(mine, freed)
		can(true, s)
	case "total: ok":
		want := max(a.qty, s.total-s.left) // what is out stays out
		can(answer.n == want, shelf{want, s.left + want - s.total, s.out})
	case "look: ok":
		can(answer.n == s.left, s)
	default:
		panic(fmt.Sprintf("no such answer: %+v %+v", a, answer))
	}
	return after
}

// shelfModel is a gate that begins with so many units.
func shelfModel(units int) porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init:              func() []any { return []any{shelf{total: units, left: units}} },
		Step:              func(state, input, output any) []any { return state.(shelf).step(input.(ask), output.(said)) },
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %+v", input, output) },
	}
	return model.ToModel()
}

package places

import "container/list"

// waiting is who found no place, by class, those who came first in front.
type waiting struct {
	of    [len(Classes)]list.List // of *Stay
	n     int
	given int // places, to who waited
}

// enter puts a stay at the end of its class. With as many there as may be, the last
// of a lower class is turned away for it, if there is one, else it is not let in.
func (w *waiting) enter(s *Stay, most int) (turnedAway *Stay, in bool) {
	if w.n >= most {
		lowest := w.lowest()
		if lowest <= s.class {
			return nil, false
		}
		turnedAway = w.of[lowest].Back().Value.(*Stay)
		w.leave(turnedAway)
	}
	s.waits = w.of[s.class].PushBack(s)
	w.n++
	return turnedAway, true
}

// leave takes a stay out, wherever it is.
func (w *waiting) leave(s *Stay) {
	w.of[s.class].Remove(s.waits)
	s.waits = nil
	w.n--
}

// next takes out who gets the next place; nil: nobody waits. It goes to the first
// class of which somebody waits, and each so many times to the classes in turn.
func (w *waiting) next() *Stay {
	if w.n == 0 {
		return nil
	}
	w.given++
	first := 0
	if w.given%roundEvery == 0 {
		first = w.given / roundEvery % len(w.of)
	}
	for i := range w.of {
		if front := w.of[(first+i)%len(w.of)].Front(); front != nil {
			s := front.Value.(*Stay)
			w.leave(s)
			return s
		}
	}
	panic("nobody waits in any class")
}

// lowest is the last class of which somebody waits.
func (w *waiting) lowest() Class {
	for i := len(w.of) - 1; i > 0; i-- {
		if w.of[i].Len() > 0 {
			return Class(i)
		}
	}
	return 0
}

package places

import "container/list"

// waiting is who found no place, by class, those who came first in front.
type waiting struct {
	of    [len(Classes)]list.List // of *Stay
	n     int
	given int   // places, to who waited
	keys  tally // of whom so many wait
	same  tally // of whom so many wait, or are there after they waited or have left
	gone  tally // of whom so many have left unanswered, and have a place
	left  int   // all of these
	drift tally // of whom so many have, and have none any more, though it may work
}

// tally counts by key. None is counted from the zero value on.
type tally map[string]int

func (t *tally) add(key string) {
	if *t == nil {
		*t = tally{}
	}
	(*t)[key]++
}

func (t tally) take(key string) {
	if t[key]--; t[key] == 0 {
		delete(t, key)
	}
}

// enter puts a stay at the end of its class, or of everyone, where the same have many
// ahead. With as many there as may be, the last of a lower class is turned away for it,
// if one has more than is kept for it; else it is let in if its own has less, though
// there are a few more then. Of the same who have half of the places no more wait than
// a browser asks for at once.
func (w *waiting) enter(s *Stay, most int, half bool) (turnedAway *Stay, in bool) {
	s.class = s.who.Class
	same := w.same[s.who.Key]
	if same >= aheadMost {
		s.class = Everyone
	}
	most, ofSame := w.room(s.who.Key, most)
	if half {
		ofSame = min(ofSame, w.gone[s.who.Key]+w.drift[s.who.Key]+aheadMost)
	}
	kept := most / ofClass
	switch {
	case same >= ofSame:
		return nil, false
	case w.n < most:
	default:
		lower := w.lowest(kept)
		if lower > s.class {
			turnedAway = w.of[lower].Back().Value.(*Stay)
			w.leave(turnedAway)
		} else if w.of[s.class].Len() >= kept {
			return nil, false
		}
	}
	s.waits = w.of[s.class].PushBack(s)
	w.n++
	w.keys.add(s.who.Key)
	w.count(s)
	return turnedAway, true
}

// count counts a stay among those of the same, once.
func (w *waiting) count(s *Stay) {
	if s.counted || s.who.Key == "" {
		return
	}
	w.same.add(s.who.Key)
	s.counted = true
}

// miss counts a stay among those who have left unanswered.
func (w *waiting) miss(s *Stay) {
	if w.count(s); s.counted {
		w.gone.add(s.who.Key)
		w.left++
		s.missed = true
	}
}

// room is how many may wait, and how many of the same. As long as nobody else waits
// these may be aloneMost: a browser asks for all that a page needs at once.
func (w *waiting) room(key string, most int) (all, ofSame int) {
	if others := len(w.keys) - min(w.keys[key], 1); others == 0 {
		return max(most, aloneMost), aloneMost
	}
	return most, max(most/ofOne, aheadMost)
}

// lose counts a stay that has left unanswered as one that has lost its place; false: so
// many of the same have that it may not.
func (w *waiting) lose(s *Stay) bool {
	switch {
	case !s.missed:
		return true
	case w.drift[s.who.Key] >= aheadMost:
		return false
	}
	w.gone.take(s.who.Key)
	w.left--
	w.drift.add(s.who.Key)
	s.drifts = true
	return true
}

// hold is how many of the same have a place after they waited, or left, if any has.
func (w *waiting) hold(key string) int {
	if w.gone[key] == 0 {
		return 0
	}
	return w.same[key] - w.keys[key] - w.drift[key]
}

// discount no longer counts a stay among those of the same.
func (w *waiting) discount(s *Stay) {
	if !s.counted {
		return
	}
	s.counted = false
	w.same.take(s.who.Key)
	switch {
	case s.drifts:
		w.drift.take(s.who.Key)
	case s.missed:
		w.gone.take(s.who.Key)
		w.left--
	}
	s.missed, s.drifts = false, false
}

// leave takes a stay out, wherever it is.
func (w *waiting) leave(s *Stay) {
	w.of[s.class].Remove(s.waits)
	s.waits = nil
	w.n--
	w.keys.take(s.who.Key)
}

// next takes out who gets the next place; nil: nobody does. It goes to the first class
// of which somebody waits who may have it, and each so many times to the classes in turn.
func (w *waiting) next(passedOver func(*Stay) bool) *Stay {
	if w.n == 0 {
		return nil
	}
	first := 0
	if given := w.given + 1; given%roundEvery == 0 {
		first = given / roundEvery % len(w.of)
	}
	for i := range w.of {
		for e := w.of[(first+i)%len(w.of)].Front(); e != nil; e = e.Next() {
			if s := e.Value.(*Stay); !passedOver(s) {
				w.given++
				w.leave(s)
				return s
			}
		}
	}
	return nil
}

// lowest is the last class of which more wait than is kept for it.
func (w *waiting) lowest(kept int) Class {
	for i := len(w.of) - 1; i > 0; i-- {
		if w.of[i].Len() > kept {
			return Class(i)
		}
	}
	return 0
}

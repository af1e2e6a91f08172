package cache

import (
	"container/list"
	"time"
)

// warmFor is how long a target counts as warm; what is still wanted is warmed anew
// long before.
const warmFor = time.Minute

// warm notes that a target shall stay, whatever else is asked for.
func (s *store) warm(key string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.targets[key]
	if t == nil {
		return
	}
	if t.warmedAt = now; t.warm {
		s.warmed.MoveToFront(t.element)
		return
	}
	s.move(t, &s.recent, &s.warmed)
	t.warm, s.warmth = true, s.warmth+t.size
}

// cool has targets no longer be warm that were not warmed for some time, or are more
// than half of the bound together: crowds need room, too.
func (s *store) cool(now time.Time) {
	for e := s.warmed.Back(); e != nil; e = s.warmed.Back() {
		t := e.Value.(*target)
		if now.Sub(t.warmedAt) < warmFor && s.warmth <= s.most/2 {
			return
		}
		s.move(t, &s.warmed, &s.recent)
		t.warm, s.warmth = false, s.warmth-t.size
	}
}

func (s *store) move(t *target, from, to *list.List) {
	from.Remove(t.element)
	t.element = to.PushFront(t)
}

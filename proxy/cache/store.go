package cache

import (
	"container/list"
	"slices"
	"sync"
	"time"
)

// mostVariants is how many answers are kept of one target: by the codings and
// languages of a shop, not by whatever a client makes up.
const mostVariants = 16

// store keeps answers within a bound of bytes. What was used longest ago goes
// first, but what is warm last: up to half of the bound no crowd turns that out,
// whatever it asks for.
type store struct {
	mu      sync.Mutex
	most    int64 // bytes
	held    int64 // by answers, by pages, and by what is reserved
	targets map[string]*target
	recent  list.List // of *target, the one used last in front
	warmed  list.List // those that are warm, the one warmed last in front
	warmth  int64     // their bytes
	uses    uint64    // so far
}

// target is what is kept of one key.
type target struct {
	key      string
	element  *list.Element // in recent or, while it is warm, in warmed
	warm     bool
	warmedAt time.Time
	variants []*answer // the newest first
	size     int64
}

// find is the answer that a request selects, nil if none is kept, and what the
// target's answers are chosen by.
func (s *store) find(key string, choose func(*answer) bool) (found *answer, vary []selector) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.targets[key]
	if t == nil {
		return nil, nil
	}
	if !t.warm {
		s.recent.MoveToFront(t.element)
	}
	for _, a := range t.variants {
		if choose(a) {
			s.use(a)
			return a, a.selectors
		}
	}
	return nil, t.variants[0].selectors
}

// put keeps an answer in place of one that was selected by the same values. The
// bytes that were reserved for it are given back in any case.
func (s *store) put(key string, a *answer, reserved int64) (kept bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held -= reserved
	if !s.room(a.size() + int64(len(key))) {
		return false
	}
	t := s.targets[key]
	if t != nil && slices.ContainsFunc(t.variants, func(old *answer) bool {
		return old.came.After(a.came) && slices.Equal(old.selectors, a.selectors)
	}) {
		return false // one that took long came later than the next
	}
	if t == nil {
		t = &target{key: key}
		t.element = s.recent.PushFront(t)
		s.targets[key] = t
		s.count(t, int64(len(key)))
	}
	variants := []*answer{a}
	for _, old := range t.variants {
		if slices.Equal(old.selectors, a.selectors) {
			s.count(t, -old.size())
			continue
		}
		variants = append(variants, old)
	}
	t.variants = variants
	s.use(a)
	s.count(t, a.size())
	if len(t.variants) > mostVariants {
		s.thin(t)
	}
	return true
}

func (s *store) use(a *answer) {
	s.uses++
	a.used = s.uses
}

// thin lets go of the variant that was used longest ago.
func (s *store) thin(t *target) {
	least := 0
	for i, a := range t.variants {
		if a.used < t.variants[least].used {
			least = i
		}
	}
	s.count(t, -t.variants[least].size())
	t.variants = slices.Delete(t.variants, least, least+1)
}

// count adds to what a target takes.
func (s *store) count(t *target, n int64) {
	t.size += n
	s.held += n
	if t.warm {
		s.warmth += n
	}
}

// grow makes an answer larger, if it is still kept and there is room. change runs
// under the lock.
func (s *store) grow(key string, a *answer, by int64, change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.targets[key]
	if t == nil || !s.roomBeside(by, t) {
		return
	}
	for _, kept := range t.variants {
		if kept == a {
			change()
			s.count(t, by)
		}
	}
}

// reserve sets bytes aside for what is on its way; false when there are none.
func (s *store) reserve(n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.room(n) {
		return false
	}
	s.held += n
	return true
}

func (s *store) release(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held -= n
}

// pin counts bytes that are held whatever the bound says; what can go makes room.
func (s *store) pin(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room(n)
	s.held += n
}

// room lets go of what was used longest ago until n bytes more are within the
// bound, and reports whether they are.
func (s *store) room(n int64) bool { return s.roomBeside(n, nil) }

// roomBeside is room that leaves one target alone.
func (s *store) roomBeside(n int64, spared *target) bool {
	if s.held+n > s.most {
		s.cool(time.Now())
	}
	for e := s.recent.Back(); e != nil && s.held+n > s.most; {
		t := e.Value.(*target)
		e = e.Prev()
		if t != spared {
			s.drop(t)
		}
	}
	return s.held+n <= s.most
}

func (s *store) drop(t *target) {
	if t.warm {
		s.warmed.Remove(t.element)
		s.warmth -= t.size
	} else {
		s.recent.Remove(t.element)
	}
	delete(s.targets, t.key)
	s.held -= t.size
}

// remove lets go of targets, and says of how many.
func (s *store) remove(which func(key string) bool) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, t := range s.targets {
		if which(key) {
			s.drop(t)
			n++
		}
	}
	return n
}

// lose lets go of one answer of a target, if it is kept.
func (s *store) lose(key string, a *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.targets[key]
	if t == nil {
		return
	}
	i := slices.Index(t.variants, a)
	switch {
	case i < 0:
	case len(t.variants) == 1:
		s.drop(t)
	default:
		s.count(t, -a.size())
		t.variants = slices.Delete(t.variants, i, i+1)
	}
}

// forget lets go of one target.
func (s *store) forget(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.targets[key]; t != nil {
		s.drop(t)
	}
}

// resize changes the bound.
func (s *store) resize(most int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most = most
	s.room(0)
}

func (s *store) bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

package queueing

import (
	"encoding/hex"
	"sync"
	"time"
)

const (
	staysKept = 1 << 16         // of each kind, a few MB at most
	staysTold = 1000            // of each kind, with one tick
	forgotten = 5 * time.Second // at least, between two times that all is told anew
)

// stays are what an edge knows of a room's passes: which ends it has told Redis,
// which it has not yet, who was released here, and who has left anywhere. What
// finds no space is lost until that shopper's next request, or, of a release, until
// the pass would have ended.
type stays struct {
	mu      sync.Mutex
	told    map[[8]byte]time.Time // ends that Redis knows, or is being told
	news    map[[8]byte]time.Time // ends that it is to know
	leaving map[[8]byte]struct{}  // who was released, and is to be told
	left    map[[8]byte]time.Time // who was released, and until when that counts, on this edge's clock
	heard   int64                 // how far in Redis's record of who has left
	retold  time.Time             // when all was told anew, on Redis's clock
}

func newStays() *stays {
	return &stays{
		told: map[[8]byte]time.Time{}, news: map[[8]byte]time.Time{},
		leaving: map[[8]byte]struct{}{}, left: map[[8]byte]time.Time{},
	}
}

// renew notes an end that Redis may not know.
func (s *stays) renew(id [8]byte, expires time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.left[id]) {
		return
	}
	if end, known := s.told[id]; !known || end.Before(expires) {
		later(s.news, id, expires)
	}
}

// release notes that a shopper has left, which counts for as long as the pass can
// live.
func (s *stays) release(id [8]byte, counts time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.leaving) < staysKept {
		s.leaving[id] = struct{}{}
	}
	s.forget(id, time.Now().Add(counts))
}

func (s *stays) hasLeft(id [8]byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.left[id])
}

// forget knows of one who has left nothing else any more.
func (s *stays) forget(id [8]byte, until time.Time) {
	delete(s.told, id)
	delete(s.news, id)
	later(s.left, id, until)
}

// later moves an instant on, never back, where there is space for it.
func later(of map[[8]byte]time.Time, id [8]byte, at time.Time) {
	if last, known := of[id]; known && last.Before(at) || !known && len(of) < staysKept {
		of[id] = at
	}
}

// tidings are what one tick tells Redis of a room's passes.
type tidings struct {
	heard    int64
	leaving  [][8]byte
	renewals map[[8]byte]time.Time
}

// args are the tidings as lua/tick.lua reads them.
func (t tidings) args() []any {
	args := make([]any, 0, 2+len(t.leaving)+2*len(t.renewals))
	args = append(args, t.heard, len(t.leaving))
	for _, id := range t.leaving {
		args = append(args, hex.EncodeToString(id[:]))
	}
	for id, expires := range t.renewals {
		args = append(args, hex.EncodeToString(id[:]), expires.UnixMicro())
	}
	return args
}

// take gives what one tick tells. It counts as told, unless it is put back.
func (s *stays) take() tidings {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := tidings{heard: s.heard, renewals: make(map[[8]byte]time.Time, min(len(s.news), staysTold))}
	for id := range s.leaving {
		if len(t.leaving) == staysTold {
			break
		}
		t.leaving = append(t.leaving, id)
		delete(s.leaving, id)
	}
	for id, expires := range s.news {
		if len(t.renewals) == staysTold {
			break
		}
		t.renewals[id] = expires
		delete(s.news, id)
		later(s.told, id, expires)
	}
	return t
}

// putBack is for a tick that failed: telling twice is harmless.
func (s *stays) putBack(t tidings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range t.leaving {
		s.leaving[id] = struct{}{}
	}
	for id, expires := range t.renewals {
		delete(s.told, id)
		if !time.Now().Before(s.left[id]) {
			later(s.news, id, expires)
		}
	}
}

// hear takes from a tick's answer who has left, and until when that counts.
func (s *stays) hear(now time.Time, heard int64, left map[[8]byte]time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = heard
	here := time.Now()
	if len(s.left)+len(left) > staysKept {
		drop(s.left, here)
	}
	for id, until := range left {
		s.forget(id, here.Add(until.Sub(now)))
	}
}

// compare tells all anew where fewer have seats than this edge alone has told of:
// Redis has forgotten them.
func (s *stays) compare(now time.Time, active uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if uint64(len(s.told)) <= active && len(s.told) < staysKept {
		return
	}
	drop(s.told, now)
	since := now.Sub(s.retold).Abs() // the clock may be put back
	if uint64(len(s.told)) <= active || since < forgotten {
		return
	}
	s.retold = now
	for id, expires := range s.told {
		later(s.news, id, expires)
	}
	clear(s.told)
}

// drop forgets what is over.
func drop(of map[[8]byte]time.Time, now time.Time) {
	for id, end := range of {
		if !now.Before(end) {
			delete(of, id)
		}
	}
}

package chaos_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waitroom/waitroom/gate"
)

// yes is what a buyer was told once.
type yes struct {
	reservation, account, key string
	asked                     time.Time // first
	mark                      gate.Mark
}

// notice is a payment as the shop reported it, and what it was told.
type notice struct {
	reservation, payment string
	said                 string // paid, refund_due, finishing
}

// story is all that was said in a round, to which the books are held, and the
// last of what happened.
type story struct {
	began time.Time

	mu      sync.Mutex
	yeses   map[string]yes    // by reservation
	byKey   map[string]string // key → reservation, the newest
	torn    map[string]string // reservation → the one that the same key was told later
	notices map[string]notice // by payment
	faults  []string
	lines   []string // the newest are kept
	asks    map[string]int
}

const lastLines = 100

func newStory() *story {
	return &story{
		began: time.Now(), yeses: map[string]yes{}, byKey: map[string]string{}, torn: map[string]string{},
		notices: map[string]notice{}, asks: map[string]int{},
	}
}

// note keeps what happened.
func (s *story) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(format, args...)
}

func (s *story) add(format string, args ...any) {
	if len(s.lines) == 2*lastLines {
		s.lines = slices.Delete(s.lines, 0, lastLines)
	}
	s.lines = append(s.lines, fmt.Sprintf("%8.3f  ", time.Since(s.began).Seconds())+fmt.Sprintf(format, args...))
}

// Write makes the log of the workers a part of the story.
func (s *story) Write(line []byte) (int, error) {
	s.note("%s", strings.TrimSpace(string(line)))
	return len(line), nil
}

func (s *story) Sync() error { return nil }

// fault is something that must not be, whatever was broken.
func (s *story) fault(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
	s.add("FAULT "+format, args...)
}

// answered counts how asks end.
func (s *story) answered(how string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks[how]++
}

// told keeps a yes.
func (s *story) told(y yes) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add("yes %s to %s, epoch %d", short(y.reservation), y.account, y.mark.Epoch)
	s.yeses[y.reservation] = y
	if was, there := s.byKey[y.key]; there && was != y.reservation {
		s.torn[was] = y.reservation
	}
	s.byKey[y.key] = y.reservation
}

// paid keeps what was said of a payment. What was decided stays so.
func (s *story) paid(n notice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add("payment %s for %s: %s", n.payment, short(n.reservation), n.said)
	if was := s.notices[n.payment].said; was != "" && was != "finishing" && was != n.said {
		s.faults = append(s.faults, fmt.Sprintf("payment %s was told %s, then %s", n.payment, was, n.said))
	}
	s.notices[n.payment] = n
}

// tell prints what a failed round needs to be understood.
func (s *story) tell(t *testing.T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Logf("the last of what happened:\n%s", strings.Join(s.lines[max(0, len(s.lines)-lastLines):], "\n"))
}

func short(id string) string { return id[:min(8, len(id))] }

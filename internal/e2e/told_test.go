package e2e_test

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// told is what the door has said to anybody: what the books are held to.
type told struct {
	mu         sync.Mutex
	yeses      map[string]int    // reservation → shopper
	byKey      map[string]string // key of a press → reservation
	torn       []string          // keys that were told of two reservations
	paidOrders map[string]bool
	refusals   map[string]bool
	stamps     []int64 // of passes, in Unix milliseconds
	faults     []string
	answers    map[int]int // by status
}

func newTold() *told {
	return &told{
		yeses: map[string]int{}, byKey: map[string]string{},
		paidOrders: map[string]bool{}, refusals: map[string]bool{}, answers: map[int]int{},
	}
}

func (t *told) yes(shopper int, key, reservation string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.yeses[reservation] = shopper
	if first, pressed := t.byKey[key]; pressed && first != reservation {
		t.torn = append(t.torn, key)
	}
	t.byKey[key] = reservation
}

func (t *told) paid(reservation string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.paidOrders[reservation] = true
}

func (t *told) refused(reservation string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refusals[reservation] = true
}

// admitted notes when a pass was given. A pass that is given a second time,
// because the first answer was lost, is stamped with the beginning of its ten
// minutes; it took no token.
func (t *told) admitted(stamp int64) {
	if stamp == 0 || stamp%(10*time.Minute).Milliseconds() == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stamps = append(t.stamps, stamp)
}

func (t *told) answered(code int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answers[code]++
}

func (t *told) fault(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.faults) < 20 {
		t.faults = append(t.faults, text)
	}
}

// reservations are all that a yes was said to, in order.
func (t *told) reservations() []string { return slices.Sorted(maps.Keys(t.yeses)) }

// mostWithin is the most passes within any span of the given milliseconds.
func (t *told) mostWithin(span int64) int {
	stamps := slices.Sorted(slices.Values(t.stamps))
	most, first := 0, 0
	for i, at := range stamps {
		for at-stamps[first] >= span {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

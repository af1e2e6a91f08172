package places

import "time"

// Sight is what a bound is like at one moment.
type Sight struct {
	Limit   int // 0: there is none
	Here    int // requests that have a place
	Waiting [len(Classes)]int
	Slower  float64       // how many times slower the origin was of late than usual; 1: no slower
	Took    time.Duration // to the head of an answer, about
}

// Look is what the bound is like now.
func (b *Bound) Look() Sight {
	if b == nil {
		return Sight{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Sight{Limit: b.limit(), Here: b.estimate.here, Slower: b.estimate.slow, Took: time.Duration(b.estimate.took * float64(time.Second))}
	for i := range s.Waiting {
		s.Waiting[i] = b.waiting.of[i].Len()
	}
	return s
}

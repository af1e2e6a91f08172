package main

import (
	"math"
	"slices"
	"time"
)

// passes are the instants of passes on Redis's clock, in microseconds, sorted.
type passes []int64

func sorted(instants []int64) passes {
	slices.Sort(instants)
	return instants
}

// window is the most that any window of one length holds, one beginning at each
// pass, and how many of them hold more than they may.
type window struct{ most, bound, above int }

// within slides a window over the passes. Its end does not belong to it.
func (p passes) within(length time.Duration, l limit) window {
	w := window{bound: l.within(length)}
	first := 0
	for i := range p {
		for p[i]-p[first] >= length.Microseconds() {
			if i-first > w.bound {
				w.above++
			}
			first++
		}
		w.most = max(w.most, i-first+1)
	}
	for ; len(p)-first > w.bound; first++ {
		w.above++
	}
	return w
}

// count is how many passes there were from one instant to before another.
func (p passes) count(from, to time.Time) int {
	i, _ := slices.BinarySearch(p, from.UnixMicro())
	j, _ := slices.BinarySearch(p, to.UnixMicro())
	return max(0, j-i)
}

// excess is the most by which the passes of any interval, of whatever length,
// went beyond rate × t. stamp is the length of the moment that an instant names.
func (p passes) excess(rate float64, stamp time.Duration) float64 {
	if len(p) == 0 {
		return 0
	}
	most, lowest := 0.0, math.Inf(1)
	for i, at := range p {
		due := rate * float64(at-p[0]) / 1e6
		lowest = min(lowest, float64(i)-due)
		most = max(most, float64(i+1)-due-lowest)
	}
	return most - rate*stamp.Seconds()
}

// limit is what a sale allows: burst + rate × t in any time t.
type limit struct {
	rate  float64 // a second
	burst int
}

func (l limit) within(t time.Duration) int {
	const rounding = 1e-6
	return l.burst + int(math.Floor(l.rate*t.Seconds()+rounding))
}

// share is n passes in some time as a percentage of rate × t.
func (l limit) share(n int, t time.Duration) float64 {
	return 100 * float64(n) / (l.rate * t.Seconds())
}

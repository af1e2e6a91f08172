package rehearsal

import "math"

// load counts what the edges will see, for each second. What waiting pages ask is
// counted by arithmetic: so many pages, each so often.
type load struct {
	begin, end int64 // seconds since the Unix epoch
	polls      flow
	requests   flow
	counted    int64 // the second up to which pages were counted
}

// flow is how much came in each second, in whole pieces: a sum of them is the
// same on every machine.
type flow struct {
	each []int32
	rest int64 // millionths of a piece that are not counted yet
}

func newLoad(begin, end moment) load {
	l := load{begin: begin.second(), end: end.second() + 60, counted: begin.second()}
	l.polls.each = make([]int32, l.end-l.begin+1)
	l.requests.each = make([]int32, len(l.polls.each))
	return l
}

func (l *load) index(second int64) int64 { return min(max(second, l.begin), l.end) - l.begin }

// poll counts one question for the shared document.
func (l *load) poll(at moment) { l.polls.each[l.index(at.second())]++ }

// request counts n private requests.
func (l *load) request(at moment, n int) { l.requests.each[l.index(at.second())] += int32(n) }

// add counts a share of a second's pieces, and those left over from before.
func (f *flow) add(second int64, pieces float64) {
	f.rest += int64(math.Round(pieces * 1e6))
	f.each[second] += int32(f.rest / 1e6)
	f.rest %= 1e6
}

func (f *flow) total() (sum int64) {
	for _, n := range f.each {
		sum += int64(n)
	}
	return sum
}

// Peak is the busiest second.
type Peak struct {
	PerSecond int   `json:"per_second"`
	At        stamp `json:"at"`
}

func (l *load) peak(f *flow) Peak {
	most := 0
	for i, n := range f.each {
		if n > f.each[most] {
			most = i
		}
	}
	return Peak{PerSecond: int(f.each[most]), At: stamp((l.begin + int64(most)) * 1e6)}
}

// countPolls counts what pages ask between now and a later moment, second by
// second: so long nothing changes.
func (p *play) countPolls(until moment) {
	l := &p.load
	if until.second() <= l.counted {
		return
	}
	polls, private := p.asking()
	for ; l.counted < until.second(); l.counted++ {
		second := l.index(l.counted)
		l.polls.add(second, polls)
		l.requests.add(second, private)
	}
}

package rehearsal

import "time"

// load counts what the edges will see, for each second. What waiting pages ask is
// counted by arithmetic: so many pages, each so often.
type load struct {
	begin, end int64 // seconds since the Unix epoch
	polls      []float32
	requests   []float32
	counted    int64 // the second up to which pages were counted
}

func newLoad(begin, end moment) load {
	l := load{begin: begin.second(), end: end.second() + 60, counted: begin.second()}
	l.polls = make([]float32, l.end-l.begin+1)
	l.requests = make([]float32, len(l.polls))
	return l
}

func (l *load) index(second int64) int64 { return min(max(second, l.begin), l.end) - l.begin }

// poll counts one question for the shared document.
func (l *load) poll(at moment) { l.polls[l.index(at.second())]++ }

// request counts n private requests.
func (l *load) request(at moment, n int) { l.requests[l.index(at.second())] += float32(n) }

// Peak is the busiest second.
type Peak struct {
	PerSecond int   `json:"per_second"`
	At        stamp `json:"at"`
}

func (l *load) peak(counts []float32) Peak {
	most := 0
	for i := range counts {
		if counts[i] > counts[most] {
			most = i
		}
	}
	return Peak{PerSecond: int(counts[most] + 0.5), At: stamp((l.begin + int64(most)) * 1e6)}
}

func total(counts []float32) (sum float64) {
	for _, n := range counts {
		sum += float64(n)
	}
	return sum
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
		i := l.index(l.counted)
		l.polls[i] += float32(polls)
		l.requests[i] += float32(private)
	}
}

// asking is how many questions a second the pages that are open ask now.
func (p *play) asking() (polls, private float64) {
	private = float64(p.count[holding]) / orderPoll.Seconds()
	switch {
	case p.soldOut || p.ended:
		return 0, private
	case !p.opened:
		return float64(p.count[lottery]) / lotteryPoll.Seconds(), private
	}
	polls = float64(p.count[stranded]) / heldPoll.Seconds()
	there := float64(p.count[waiting] - p.closed)
	if p.gate.Left == 0 {
		return polls + there/heldPoll.Seconds(), private
	}
	return polls + there*p.waitingPolls(), private
}

// waitingPolls is how often a waiting page asks on average, from the distances
// that the line gives to some of them: places further and further back, each for
// those up to the next.
func (p *play) waitingPolls() float64 {
	last := min(p.tail, p.line.Entered, uint64(len(p.byPlace)))
	if p.count[waiting] == 0 || last <= p.line.Head {
		return 0
	}
	now := *p.line
	now.Now = p.now.time()
	var sum float64
	span := last - p.line.Head
	for ahead := uint64(0); ahead < span; {
		next := min(ahead+ahead/2+1, span)
		if who := p.byPlace[p.line.Head+ahead]; who > 0 {
			every := now.PollAfter(now.Standing(uint64(p.crowd[who-1].number)), 0.5)
			sum += float64(next-ahead) / every.Seconds()
		}
		ahead = next
	}
	return sum / float64(span)
}

const (
	lotteryPoll = 25 * time.Second        // between two questions of a page that waits for the draw
	orderPoll   = 2500 * time.Millisecond // of a page with a unit to pay
)

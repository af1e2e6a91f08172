package rehearsal

import "time"

// moment is virtual time: microseconds since the Unix epoch, as Redis counts.
type moment int64

const never = moment(1<<63 - 1)

func when(t time.Time) moment { return moment(t.UnixMicro()) }

func (m moment) add(d time.Duration) moment      { return m + moment(d.Microseconds()) }
func (m moment) since(from moment) time.Duration { return time.Duration(m-from) * time.Microsecond }
func (m moment) time() time.Time                 { return time.UnixMicro(int64(m)) }
func (m moment) second() int64                   { return int64(m) / 1e6 }

// deed is what a shopper is about to do.
type deed uint8

const (
	press deed = iota // the button that enters the line
	look              // at the page
	claim             // the pass
	buy
	pay
	lapse // the hold runs out
)

// plan is a shopper's next deed. One shopper may have several.
type plan struct {
	at   moment
	who  uint32
	what deed
}

// agenda gives plans in order of time; of plans for one moment, in an order that
// depends on nothing but what was put in.
type agenda struct{ heap []plan }

// next is when the first plan is due.
func (a *agenda) next() moment {
	if len(a.heap) == 0 {
		return never
	}
	return a.heap[0].at
}

func (a *agenda) put(p plan) {
	a.heap = append(a.heap, p)
	i := len(a.heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if a.heap[parent].at <= p.at {
			break
		}
		a.heap[i] = a.heap[parent]
		i = parent
	}
	a.heap[i] = p
}

// take removes the first plan. There must be one.
func (a *agenda) take() plan {
	first, last := a.heap[0], a.heap[len(a.heap)-1]
	a.heap = a.heap[:len(a.heap)-1]
	n, i := len(a.heap), 0
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && a.heap[child+1].at < a.heap[child].at {
			child++
		}
		if last.at <= a.heap[child].at {
			break
		}
		a.heap[i] = a.heap[child]
		i = child
	}
	if n > 0 {
		a.heap[i] = last
	}
	return first
}

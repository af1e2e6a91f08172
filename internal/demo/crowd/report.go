package crowd

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Tally counts shoppers, but for Reserved, which counts reservations, and
// Errors, which counts answers that the contract does not know and requests
// that stayed without one after three tries.
//
// At the end Paid + Held + ToldNo + Unanswered = Shoppers.
type Tally struct {
	Shoppers   int64
	Entered    int64 // got a ticket
	Admitted   int64 // got a pass
	Reserved   int64 // different reservations that anybody was told of
	Paid       int64
	Held       int64 // ended with a unit that was neither paid nor expired
	Expired    int64 // let their unit go; also among ToldNo
	ToldNo     int64
	Unanswered int64 // still knew nothing when it ended
	Errors     int64
}

// Report is what the crowd saw.
type Report struct {
	Tally
	AdmittedMax1s   int       // most passes within any second, by the server's clock
	No              Latencies // of the request that carried the no, without connecting
	Connect         Latencies // of connections, with TLS where there is TLS
	DuplicateBuyers int64     // with more than one living reservation, or with somebody else's
	Elapsed         time.Duration
	Problems        map[string]int64 // what Errors were, by kind
}

// Latencies sums up how long one kind of thing took.
type Latencies struct {
	Count         int
	P50, P99, Max time.Duration
	Errors        int64 // those that failed; their time counts as well
}

// summarize sorts all in place.
func summarize(all []time.Duration) Latencies {
	if len(all) == 0 {
		return Latencies{}
	}
	slices.Sort(all)
	rank := func(percent int) time.Duration { return all[(len(all)*percent+99)/100-1] } // nearest rank
	return Latencies{Count: len(all), P50: rank(50), P99: rank(99), Max: all[len(all)-1]}
}

// maxWithin is the most instants that any window of the given length holds;
// its end does not belong to it. It sorts instants in place.
func maxWithin(instants []int64, length int64) int {
	slices.Sort(instants)
	most, first := 0, 0
	for i, t := range instants {
		for t-instants[first] >= length {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// ending is how a visit ends.
type ending int

const (
	unanswered ending = iota
	paid
	held
	toldNo
	expired // told no as well, after holding a unit
)

// visit is what one shopper brings home.
type visit struct {
	entered  bool
	admitted []int64 // server's stamps of the passes, Unix ms
	got      bool    // a pass, stamped or not
	refused  bool    // heard a no, final or not, that took no
	no       time.Duration
	end      ending
	living   []string // reservations that have not ended
}

// books gather the visits, and the owner of each reservation.
type books struct {
	shoppers                              int64
	entered, admitted, reserved, errors   atomic.Int64
	paid, held, expired, told, unanswered atomic.Int64

	mu       sync.Mutex
	visits   []visit
	connects []time.Duration
	owners   map[string]int
	shared   map[int]bool // shoppers told of somebody else's reservation
	problems map[string]int64
}

func newBooks(shoppers int) *books {
	return &books{
		shoppers: int64(shoppers),
		visits:   make([]visit, shoppers),
		owners:   map[string]int{},
		shared:   map[int]bool{},
		problems: map[string]int64{},
	}
}

// connected records the time that a connection took to open.
func (b *books) connected(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.connects = append(b.connects, d)
}

// own records that shopper i was told of a reservation.
func (b *books) own(reservation string, i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	owner, known := b.owners[reservation]
	if !known {
		b.owners[reservation] = i
		b.reserved.Add(1)
	} else if owner != i {
		b.shared[i] = true
	}
}

// problem records one error of a kind; the kinds are few, as paths are cut.
func (b *books) problem(format string, args ...any) {
	b.errors.Add(1)
	b.mu.Lock()
	defer b.mu.Unlock()
	kind := fmt.Sprintf(format, args...)
	if _, known := b.problems[kind]; !known && len(b.problems) >= 50 {
		kind = "others"
	}
	b.problems[kind]++
}

// close ends the visit of shopper i.
func (b *books) close(i int, v visit) {
	b.mu.Lock()
	b.visits[i] = v
	b.mu.Unlock()
	switch v.end {
	case paid:
		b.paid.Add(1)
	case held:
		b.held.Add(1)
	case toldNo:
		b.told.Add(1)
	case expired:
		b.told.Add(1)
		b.expired.Add(1)
	default:
		b.unanswered.Add(1)
	}
}

func (b *books) tally() Tally {
	return Tally{
		Shoppers: b.shoppers,
		Entered:  b.entered.Load(), Admitted: b.admitted.Load(), Reserved: b.reserved.Load(),
		Paid: b.paid.Load(), Held: b.held.Load(), Expired: b.expired.Load(),
		ToldNo: b.told.Load(), Unanswered: b.unanswered.Load(), Errors: b.errors.Load(),
	}
}

// report closes the books. Nobody may be shopping any more.
func (b *books) report(elapsed time.Duration) Report {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := Report{Tally: b.tally(), Elapsed: elapsed, Connect: summarize(b.connects), Problems: b.problems}
	var stamps []int64
	var noes []time.Duration
	for i, v := range b.visits {
		stamps = append(stamps, v.admitted...)
		if v.refused && v.end == toldNo {
			noes = append(noes, v.no)
		}
		if len(v.living) > 1 || b.shared[i] {
			r.DuplicateBuyers++
		}
	}
	r.AdmittedMax1s = maxWithin(stamps, 1000)
	r.No = summarize(noes)
	return r
}

package crowd

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

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

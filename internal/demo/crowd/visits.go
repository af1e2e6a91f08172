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

// visits gather the visits, and the owner of each reservation.
type visits struct {
	shoppers                              int64
	entered, admitted, reserved, errors   atomic.Int64
	paid, held, expired, told, unanswered atomic.Int64

	mu       sync.Mutex
	all      []visit
	connects []time.Duration
	owners   map[string]int
	shared   map[int]bool // shoppers told of somebody else's reservation
	problems map[string]int64
}

func newVisits(shoppers int) *visits {
	return &visits{
		shoppers: int64(shoppers),
		all:      make([]visit, shoppers),
		owners:   map[string]int{},
		shared:   map[int]bool{},
		problems: map[string]int64{},
	}
}

// connected records the time that a connection took to open.
func (vs *visits) connected(d time.Duration) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.connects = append(vs.connects, d)
}

// own records that shopper i was told of a reservation.
func (vs *visits) own(reservation string, i int) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	owner, known := vs.owners[reservation]
	if !known {
		vs.owners[reservation] = i
		vs.reserved.Add(1)
	} else if owner != i {
		vs.shared[i] = true
	}
}

// problem records one error of a kind; the kinds are few, as paths are cut.
func (vs *visits) problem(format string, args ...any) {
	vs.errors.Add(1)
	vs.mu.Lock()
	defer vs.mu.Unlock()
	kind := fmt.Sprintf(format, args...)
	if _, known := vs.problems[kind]; !known && len(vs.problems) >= 50 {
		kind = "others"
	}
	vs.problems[kind]++
}

// close ends the visit of shopper i.
func (vs *visits) close(i int, v visit) {
	vs.mu.Lock()
	vs.all[i] = v
	vs.mu.Unlock()
	switch v.end {
	case paid:
		vs.paid.Add(1)
	case held:
		vs.held.Add(1)
	case toldNo:
		vs.told.Add(1)
	case expired:
		vs.told.Add(1)
		vs.expired.Add(1)
	default:
		vs.unanswered.Add(1)
	}
}

func (vs *visits) tally() Tally {
	return Tally{
		Shoppers: vs.shoppers,
		Entered:  vs.entered.Load(), Admitted: vs.admitted.Load(), Reserved: vs.reserved.Load(),
		Paid: vs.paid.Load(), Held: vs.held.Load(), Expired: vs.expired.Load(),
		ToldNo: vs.told.Load(), Unanswered: vs.unanswered.Load(), Errors: vs.errors.Load(),
	}
}

// report is what all saw. Nobody may be shopping any more.
func (vs *visits) report(elapsed time.Duration) Report {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	r := Report{Tally: vs.tally(), Elapsed: elapsed, Connect: summarize(vs.connects), Problems: vs.problems}
	var stamps []int64
	var noes []time.Duration
	for i, v := range vs.all {
		stamps = append(stamps, v.admitted...)
		if v.refused && v.end == toldNo {
			noes = append(noes, v.no)
		}
		if len(v.living) > 1 || vs.shared[i] {
			r.DuplicateBuyers++
		}
	}
	r.AdmittedMax1s = maxWithin(stamps, 1000)
	r.No = summarize(noes)
	return r
}

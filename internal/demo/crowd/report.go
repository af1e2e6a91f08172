package crowd

import (
	"slices"
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

package shedding

import "time"

// Kind is what is answered; its text is what access records and metrics show.
type Kind string

// The four answers.
const (
	KindServe    Kind = "serve"     // go on
	KindSlowDown Kind = "slow_down" // too often: welcome again after Retry
	KindSoldOut  Kind = "sold_out"  // nothing left, though a held unit may come back
	KindHopeless Kind = "hopeless"  // very likely gone before this place is called
)

// Verdict is the answer to one request: what, why, and when to ask again.
type Verdict struct {
	Kind   Kind
	Reason string        // a constant such as "account": which rule decided
	Retry  time.Duration // 0: asking again is of no use, or not needed
}

// RetryAfter is Retry in the whole seconds of the header of that name
// (RFC 9110, section 10.2.3). It is rounded up, so that whoever obeys it is not
// refused a second time.
func (v Verdict) RetryAfter() int {
	return int((max(v.Retry, 0) + time.Second - 1) / time.Second)
}

package places

import "time"

// Class is what a request is for, as far as it matters where not all can be served.
type Class int

// The classes, those first who come first.
const (
	Holding  Class = iota // of who holds a reservation
	Passed                // of who has a pass, or for many at once
	Changing              // one that changes something, of nobody known: a login, a notice of a payment
	Everyone              // any other
)

// Classes are all there are.
var Classes = [...]Class{Holding, Passed, Changing, Everyone}

// Who is who asks: for what, and of whom not all is to be let in. Key tells them
// apart; an empty one is nobody's, and is not counted.
type Who struct {
	Class Class
	Key   string
}

// Of is somebody of the class.
func (c Class) Of(key string) Who { return Who{c, key} }

// String is how records and metrics name a class.
func (c Class) String() string {
	return [...]string{"hold", "pass", "change", "everyone"}[c]
}

const (
	waitMost = 1500 * time.Millisecond // for a place
	holdMost = 5 * time.Second         // of who holds a reservation: the unit is lost otherwise

	// roundEvery is how often a place goes to the classes in turn and not to the
	// first that waits: each one of four has a place in forty for sure.
	roundEvery = 10

	// aheadMost is how many requests of the same, there and in the line, come before
	// those of everyone: as many as browsers send over HTTP/1.1.
	aheadMost = 6

	leastWaiting = 128  // may wait, however slow the origin is
	mostWaiting  = 1024 // may wait, however fast it is

	ofClass = 8 // a class has one in so many of the line for sure,
	ofOne   = 4 // and the same one in so many at most

	aloneMost = 256 // of the same may wait where nobody else does
)

// patience is how long a request of the class waits at most.
func (c Class) patience() time.Duration {
	if c == Holding {
		return holdMost
	}
	return waitMost
}

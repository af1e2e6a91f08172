package queueing

import "time"

// State is what a line is doing.
type State string

// The states of a line. A line is paused only between doors and closing.
const (
	StateScheduled State = "scheduled"
	StateDoors     State = "doors"
	StateOpen      State = "open"
	StatePaused    State = "paused"
	StateEnded     State = "ended"
)

// Snapshot is the picture of a line at one moment, the same for every edge
// that asks at that moment. It does not change any more.
type Snapshot struct {
	Sale                 string // configs.Sale.Key
	Line                 string // of the sale's lines the one that was born with this seed
	State                State
	Now                  time.Time // on Redis's clock
	Doors, Opens, Closes time.Time

	Entered uint64 // numbers given so far
	Head    uint64 // places below it were called
	Passes  uint64 // passes given so far, repeated claims not counted

	Drawn      bool
	DrawnCount uint64 // how many took part in the draw
	Commitment string // of the seed; empty before the doors
	Seed       *Seed  // nil before the draw
	Draw       *Draw  // by Seed among DrawnCount; nil before the draw

	Rate    float64 // passes a second
	Message string  // from the operators, often empty

	// Shown is the picture to publish: the same on every edge for a quarter of a
	// second, then a new one. It has no Shown of its own.
	Shown *Snapshot
	Stock Stock // as the edge that drew this picture knew it

	lead    float64 // the head's speed in rates, see lua/tick.lua
	waiting float64 // callers who found no token
}

// Stock is what an edge knows of the stock, of which the line itself knows
// nothing: it carries these words so that every edge publishes the same.
type Stock struct {
	Left  int
	State string
}

// settle fills in what follows from the rest.
func (s *Snapshot) settle(paused bool, seed Seed, drawn int64) {
	switch {
	case s.Now.Before(s.Doors):
		s.State = StateScheduled
	case !s.Now.Before(s.Closes):
		s.State = StateEnded
	case paused:
		s.State = StatePaused
	case s.Now.Before(s.Opens):
		s.State = StateDoors
	default:
		s.State = StateOpen
	}
	if s.State != StateScheduled {
		s.Commitment = seed.Commitment()
	}
	if drawn >= 0 {
		draw := NewDraw(seed, s.Sale, uint64(drawn))
		s.Drawn, s.DrawnCount, s.Seed, s.Draw = true, uint64(drawn), &seed, &draw
	}
}

// Place is where a number stands. There is none before the draw.
func (s *Snapshot) Place(number uint64) (place uint64, ok bool) {
	if s.Draw == nil {
		return 0, false
	}
	return s.Draw.Place(number), true
}

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

	Entered uint64 // numbers given so far; from the draw on with those behind it
	Behind  uint64 // how many stand behind the draw: those entered so, and before it
	Head    uint64 // places below it were called
	Passes  uint64 // passes given so far, repeated claims not counted

	Counted    bool   // the lottery is closed: who enters now stands behind the draw
	Drawn      bool   // the draw is held: once Counted, and once its public value is known
	DrawnCount uint64 // how many take part in the draw, once Counted
	Mix        string // names the public value that is mixed into the draw; empty: none
	Mixed      string // that value; empty before it is given
	Commitment string // of the seed; empty before the doors
	Seed       *Seed  // nil before the draw
	Draw       *Draw  // by Seed among DrawnCount; nil before the draw

	Rate    float64 // passes a second
	Message string  // from the operators, often empty

	// Shown is the picture to publish: the same on every edge for a quarter of a
	// second, then a new one. It has no Shown of its own.
	Shown *Snapshot
	Stock Stock // as the edge that drew this picture knew it

	Matched bool   // passes are matched to units; only there:
	Spent   uint64 // passes whose units the gate gave
	Unused  uint64 // passes that may still be used
	// Free is how many can be let in with the units that nobody has a pass for, or was
	// called for. Whoever has as many people ahead, or more, waits for some of them to
	// let their passes end, and nobody knows when.
	Free uint64

	// Of a room alone.
	Armed  bool    // who arrives stands in line
	Active uint64  // shoppers inside; 0 where there is no bound
	Flow   float64 // places called a second, of late: where seats are short, below Rate

	lead    float64 // the head's speed in rates, see lua/tick.lua
	waiting float64 // callers who found no token
}

// Stock is what an edge knows of the stock, of which the line itself knows
// nothing: it carries these words so that every edge publishes the same.
type Stock struct {
	Left  int // units to be had now
	Held  int // units that may come back
	State string
	Tail  string // what the edges make of it for who waits, at most MaxTail bytes; empty: what was said last

	// Looked is when the gate was looked at, on Redis's clock and not after the look. What
	// was looked at earlier than what is published is not published; zero: it is now.
	Looked time.Time

	// Spent is what [Line.Spent] said before the look at the gate that Left is of; it is
	// not published. Only where passes are matched to units it is needed: less than that
	// lets fewer people in, more would let in too many.
	Spent uint64
}

// args is the stock as lua/tick.lua reads it.
func (s Stock) args() []any {
	var looked int64
	if !s.Looked.IsZero() {
		looked = s.Looked.UnixMicro()
	}
	return []any{s.Left, s.Held, s.State, s.Tail, looked}
}

// MaxTail bounds Stock.Tail, in bytes: every tick carries it.
const MaxTail = 400

// settle fills in what follows from the rest.
func (s *Snapshot) settle(paused bool, seed Seed, drawn int64) {
	s.Counted = drawn >= 0
	s.Drawn = s.Counted && !s.awaits()
	if s.Counted {
		s.DrawnCount = uint64(drawn)
	}
	switch {
	case s.Now.Before(s.Doors):
		s.State = StateScheduled
	case !s.Now.Before(s.Closes):
		s.State = StateEnded
	case paused:
		s.State = StatePaused
	case s.Now.Before(s.Opens), s.awaits():
		s.State = StateDoors
	default:
		s.State = StateOpen
	}
	if s.State != StateScheduled {
		s.Commitment = seed.Commitment()
	}
	if s.Drawn {
		draw := NewDraw(seed, s.Sale, s.DrawnCount, s.Mixed)
		s.Seed, s.Draw = &seed, &draw
	}
}

// awaits reports whether there can be no draw for want of its public value.
func (s *Snapshot) awaits() bool { return s.Mix != "" && s.Mixed == "" }

// Overdue reports whether the lottery is closed and the draw waits for its
// public value.
func (s *Snapshot) Overdue() bool { return s.Counted && s.awaits() && s.Now.Before(s.Closes) }

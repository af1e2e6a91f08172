package queueing

import "time"

// StandingState says what a shopper in line is to be told.
type StandingState string

// Where a ticket can stand.
const (
	StandingNone    StandingState = "none"    // the doors are closed
	StandingLottery StandingState = "lottery" // waits for the draw
	StandingWaiting StandingState = "waiting"
	StandingCalled  StandingState = "called" // may claim its pass
	StandingPaused  StandingState = "paused"
	StandingEnded   StandingState = "ended"
)

// Standing is one ticket's share of a snapshot.
type Standing struct {
	State        StandingState
	Place, Ahead uint64        // only if Drawn; Ahead: places still called before this one
	Drawn        bool          // there is a place
	Behind       bool          // stands behind the draw; without a place until it is known who is in it
	Invited      bool          // stands before all places, and has none
	Low, High    time.Duration // until called, between these; no High: now, or nobody can tell
}

// Standing says where a number stands. Nobody behind the draw is in the lottery:
// before it closes they wait, for it and then for all who are in it. An invitation
// stands before the whole line, so without a place, and is called from the opening on.
func (s *Snapshot) Standing(n Number) Standing {
	st := Standing{Behind: n.Behind, Invited: n.Invited}
	if place, ok := s.Place(n); ok {
		st.Place, st.Drawn = place, true
		st.Ahead = max(place, s.Head) - s.Head
	}
	switch s.State {
	case StateScheduled:
		st.State = StandingNone
	case StateEnded:
		st.State = StandingEnded
	case StatePaused:
		st.State = StandingPaused
	default:
		st.State, st.Low, st.High = s.moving(st)
	}
	return st
}

// moving is the state in a line that moves, with the time until the call. At the
// soonest the head keeps the lead it has over the rate, at the latest everyone
// ahead takes their turn. Who waits for others to let their passes end is told no
// latest.
func (s *Snapshot) moving(st Standing) (state StandingState, low, high time.Duration) {
	switch {
	case st.Invited && s.State == StateOpen:
		return StandingCalled, 0, 0
	case st.Invited:
		until := max(s.Opens.Sub(s.Now), 0)
		return StandingLottery, until, until
	case st.Behind && !st.Drawn: // behind all who are still to come
		return StandingWaiting, 0, 0
	case !st.Drawn:
		until := max(s.Opens.Sub(s.Now), 0)
		return StandingLottery, until, until + s.at(s.Entered, s.Rate)
	case s.Overdue(): // behind a draw of which nobody knows when it is held
		return StandingWaiting, 0, 0
	case st.Place < s.Head:
		return StandingCalled, 0, 0
	}
	fast, slow := s.Rate*max(s.lead, 1), s.Rate
	if s.Flow > 0 { // a room's head may wait for seats, so its measured speed tells
		// A third either way: of half a minute, with seats that come free one by one
		// and people who do not come, a speed is known no better. But what was of
		// late promises nothing that the rate of now does not give.
		fast, slow = min(fast, s.Flow*4/3), min(slow, s.Flow*2/3)
	}
	low = s.at(st.Ahead, fast)
	if s.Matched && st.Ahead >= s.Free {
		return StandingWaiting, low, 0
	}
	high = s.at(st.Ahead+1+uint64(s.waiting), slow)
	return StandingWaiting, low, high
}

// at is how long n places take at so many a second, at most until closing.
func (s *Snapshot) at(n uint64, rate float64) time.Duration {
	left := max(s.Closes.Sub(s.Now), 0)
	if seconds := float64(n) / rate; seconds < left.Seconds() {
		return time.Duration(seconds * float64(time.Second))
	}
	return left
}

package proxy

import (
	"net/http"
	"time"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
)

// The states of one shopper (the contract's `state` of `me`).
const (
	meNone     = "none"
	meLottery  = "lottery"
	meWaiting  = "waiting"
	meCalled   = "called"
	meAdmitted = "admitted"
	meHopeless = "hopeless"
	meSoldOut  = "sold_out"
	meHeld     = "held"
	mePaused   = "paused"
	meEnded    = "ended"
)

// me is the private answer about one shopper (the contract's fields, see appendTo).
// What nobody knows yet has a mark that says so: it is null.
type me struct {
	State     string
	Number    uint64
	HasNumber bool
	Invited   bool // stands before all places: no number, no place
	Behind    bool // was put behind the draw: the number is one of those there
	Place     uint64
	HasPlace  bool
	Ahead     uint64
	HasAhead  bool
	ETA       bool   // Low and High of standing can be told
	Odds      string // of getting a unit; empty: not known
	Left      int    // to be had now, for whom little or nothing is left
	Held      int    // and what may come back
	HasLeft   bool
	standing  queueing.Standing
	poll      time.Duration
}

// stand says where a shopper stands, from the board and what the shopper
// carries, without a call to anyone. note is what became of the shopper's
// reservation, if the caller asked; nil otherwise.
func (b *board) stand(s *shopper, nothingLeft bool, note *gate.Note) (m me) {
	m.State = meNone
	if n, ok := s.number(); ok {
		m.Invited, m.Behind, m.standing = n.Invited, n.Behind, b.line.Standing(n)
		st := &m.standing
		m.Number, m.HasNumber = n.Value, !n.Invited
		m.Place, m.HasPlace = st.Place, !n.Invited && st.Drawn
		m.Ahead, m.HasAhead = st.Ahead, m.HasPlace || n.Invited && st.State == queueing.StandingCalled // by nobody
	}
	m.State = b.stateOf(s, m.standing, nothingLeft, note)
	m.estimate()
	b.chance(&m, nothingLeft)
	m.poll = b.pollAfter(&m)
	return m
}

// estimate says how long one who waits will, where that can be told.
func (m *me) estimate() { m.ETA = m.State == meWaiting && m.standing.High > 0 }

// chance says how likely who waits is to get a unit, and of what that depends.
func (b *board) chance(m *me, nothingLeft bool) {
	switch {
	case m.State == meHopeless, m.State == meSoldOut && b.state != stateSoldOut:
		m.Left, m.Held, m.HasLeft = b.gate.Offered(), heldIn(b.gate), true
		if nothingLeft {
			m.Left, m.Held = 0, m.Held+m.Left
		}
	case m.State != meWaiting:
		return
	}
	if m.standing.Drawn && m.standing.Place >= b.line.Head {
		m.Odds = string(b.odds.word(m.standing.Place))
	}
}

// notBefore is for whom the line told to come back after retry.
func (m *me) notBefore(retry time.Duration) {
	if retry > m.poll {
		m.poll = spread(retry)
	}
}

// stateOf is the table of a shopper's states; the first line that fits decides.
func (b *board) stateOf(s *shopper, st queueing.Standing, nothingLeft bool, note *gate.Note) string {
	switch {
	case note != nil && holds(note.Status):
		return meHeld
	case b.state == stateEnded:
		return meEnded
	case b.state == stateSoldOut:
		return meSoldOut
	case b.state == statePaused:
		return mePaused
	case s.pass == nil && st.State == queueing.StandingWaiting && st.Drawn && b.odds.hopeless(st.Place):
		return meHopeless // also while all are held: what comes back is taken before
	case b.state == stateAllHeld || b.state == stateOpen && nothingLeft:
		return meSoldOut
	case s.pass != nil && b.state == stateOpen:
		return meAdmitted
	case s.ticket == nil || b.state == stateScheduled:
		return meNone
	default:
		return lineState[st.State]
	}
}

// lineState is what the line's word about a ticket is called in public.
var lineState = map[queueing.StandingState]string{
	queueing.StandingNone:    meNone,
	queueing.StandingLottery: meLottery,
	queueing.StandingWaiting: meWaiting,
	queueing.StandingCalled:  meCalled,
	queueing.StandingPaused:  mePaused,
	queueing.StandingEnded:   meEnded,
}

// holds reports whether a reservation in this status is one the shopper has.
func holds(s gate.Status) bool {
	return s == gate.Finishing || s == gate.Held || s == gate.Paid
}

// me is GET …/me, for who may have got something.
func (v *visit) me() answer { return v.tell(http.StatusOK, "me", v.stand(v.note())) }

// meAtOnce is me for all others: nothing but a reservation could change what they are
// told. Those who wait for a unit to come back ask often, so it costs them no call either.
func (v *visit) meAtOnce() (answer, bool) {
	if v.mayHave() && !(v.nothingLeft() && v.door.got.lack(&v.shopper)) {
		return answer{}, false
	}
	return v.tell(http.StatusOK, "me", v.stand(nil)), true
}

// waitAnswer is for who has to wait.
func waitAnswer(decision string, m me) answer {
	a := meAnswer(http.StatusTooManyRequests, decision, m)
	a.waits = true
	return a
}

func meAnswer(status int, decision string, m me) answer {
	a := answer{status: status, decision: decision, body: &m}
	if status == http.StatusTooManyRequests {
		a.retry = m.poll
	}
	return a
}

// tell is meAnswer without new memory.
func (v *visit) tell(status int, decision string, m me) answer {
	return answer{status: status, decision: decision, body: v.said(m)}
}

// said is what the answer tells.
func (v *visit) said(m me) *me {
	v.told = m
	return &v.told
}

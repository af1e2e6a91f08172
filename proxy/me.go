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

// me is the private answer about one shopper (the contract's fields).
type me struct {
	State    string  `json:"state"`
	Number   *uint64 `json:"number"`
	Invited  bool    `json:"invited,omitempty"` // stands before all places: no number, no place
	Behind   bool    `json:"behind,omitempty"`  // was put behind the draw: the number is one of those there
	Place    *uint64 `json:"place"`
	Ahead    *uint64 `json:"ahead"`
	ETALow   *int64  `json:"eta_low_s"`
	ETAHigh  *int64  `json:"eta_high_s"`
	Odds     *string `json:"odds"`                 // of getting a unit; null: not known
	Left     *int    `json:"stock_left,omitempty"` // to be had now, for whom little or nothing is left
	Held     *int    `json:"stock_held,omitempty"` // and what may come back
	PollMS   int64   `json:"poll_after_ms"`
	standing queueing.Standing
	poll     time.Duration
}

// stand says where a shopper stands, from the board and what the shopper
// carries, without a call to anyone. note is what became of the shopper's
// reservation, if the caller asked; nil otherwise.
func (b *board) stand(s shopper, nothingLeft bool, note *gate.Note) me {
	m := me{State: meNone}
	if n, ok := s.number(); ok {
		m.Invited, m.Behind, m.standing = n.Invited, n.Behind, b.line.Standing(n)
		switch st := &m.standing; {
		case !n.Invited && st.Drawn:
			m.Number, m.Place, m.Ahead = &n.Value, &st.Place, &st.Ahead
		case !n.Invited:
			m.Number = &n.Value
		case st.State == queueing.StandingCalled:
			m.Ahead = &st.Ahead // nobody
		}
	}
	m.State = b.stateOf(s, m.standing, nothingLeft, note)
	m.estimate()
	b.chance(&m, nothingLeft)
	m.askAgain(b.pollAfter(m))
	return m
}

// estimate says how long one who waits will, where that can be told.
func (m *me) estimate() {
	if m.State == meWaiting && m.standing.High > 0 {
		low, high := int64(m.standing.Low.Seconds()), int64(m.standing.High.Seconds())
		m.ETALow, m.ETAHigh = &low, &high
	}
}

// chance says how likely who waits is to get a unit, and of what that depends.
func (b *board) chance(m *me, nothingLeft bool) {
	switch {
	case m.State == meHopeless, m.State == meSoldOut && b.state != stateSoldOut:
		left, held := b.gate.Offered(), heldIn(b.gate)
		if nothingLeft {
			left, held = 0, held+left
		}
		m.Left, m.Held = &left, &held
	case m.State != meWaiting:
		return
	}
	if m.standing.Drawn && m.standing.Place >= b.line.Head {
		if word := string(b.odds.word(m.standing.Place)); word != "" {
			m.Odds = &word
		}
	}
}

func (m *me) askAgain(after time.Duration) { m.poll, m.PollMS = after, after.Milliseconds() }

// notBefore is for whom the line told to come back after retry.
func (m *me) notBefore(retry time.Duration) {
	if retry > m.poll {
		m.askAgain(spread(retry))
	}
}

// stateOf is the table of a shopper's states; the first line that fits decides.
func (b *board) stateOf(s shopper, st queueing.Standing, nothingLeft bool, note *gate.Note) string {
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

// me is GET …/me. Those who wait for a unit to come back ask often, so it costs them
// no call either: all that a reservation changes here is whether they hold one.
func (v *visit) me() answer {
	var note *gate.Note
	if !v.nothingLeft() || !v.door.got.lack(v.shopper) {
		note = v.note()
	}
	return meAnswer(http.StatusOK, "me", v.stand(note))
}

// waitAnswer is for who has to wait.
func waitAnswer(decision string, m me) answer {
	a := meAnswer(http.StatusTooManyRequests, decision, m)
	a.waits = true
	return a
}

func meAnswer(status int, decision string, m me) answer {
	a := answer{status: status, decision: decision, body: m}
	if status == http.StatusTooManyRequests {
		a.retry = m.poll
	}
	return a
}

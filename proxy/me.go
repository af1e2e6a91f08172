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
	Place    *uint64 `json:"place"`
	Ahead    *uint64 `json:"ahead"`
	ETALow   *int64  `json:"eta_low_s"`
	ETAHigh  *int64  `json:"eta_high_s"`
	PollMS   int64   `json:"poll_after_ms"`
	standing queueing.Standing
	poll     time.Duration
}

// stand says where a shopper stands, from the board and what the shopper
// carries, without a call to anyone. note is what became of the shopper's
// reservation, if the caller asked; nil otherwise.
func (b *board) stand(s shopper, nothingLeft bool, note *gate.Note) me {
	m := me{State: meNone}
	number, ok := s.number()
	switch {
	case s.invited():
		m.Invited, m.standing = true, b.line.Invited()
		if m.standing.State == queueing.StandingCalled {
			m.Ahead = &m.standing.Ahead // nobody
		}
	case ok:
		m.Number, m.standing = &number, b.line.Standing(number)
		if m.standing.Drawn {
			m.Place, m.Ahead = &m.standing.Place, &m.standing.Ahead
		}
	}
	m.State = b.stateOf(s, m.standing, nothingLeft, note)
	m.estimate()
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
	case s.pass == nil && st.State == queueing.StandingWaiting && b.state != stateDoors && b.hopeless(st.Ahead):
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

// hopeless is the published verdict on somebody with so many people ahead.
func (b *board) hopeless(ahead uint64) bool {
	return b.hopelessAhead != nil && ahead >= *b.hopelessAhead
}

// me is GET …/me.
func (v *visit) me() answer { return meAnswer(http.StatusOK, "me", v.stand(v.note())) }

func meAnswer(status int, decision string, m me) answer {
	a := answer{status: status, decision: decision, body: m}
	if status == http.StatusTooManyRequests {
		a.retry = m.poll
	}
	return a
}

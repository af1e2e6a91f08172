package proxy

import (
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/shedding"
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

// shopper is what a request proves about who sent it, in one sale.
type shopper struct {
	ticket  *queueing.Ticket // nil: none
	pass    *queueing.Pass   // nil: none that is valid
	account string           // the storefront's, or the ticket's; empty: neither
}

// shopper reads the cookies of a request. What was not signed by us is as if it
// were not there.
func (h *house) shopper(r *http.Request, d *door, now time.Time) shopper {
	s := shopper{account: h.identity.account(r)}
	for _, v := range cookieValues(r, ticketPrefix+d.sale.ID) {
		if t, err := h.keyring.Ticket(d.sale.Key, v); err == nil {
			s.ticket = &t
			break
		}
	}
	for _, v := range cookieValues(r, passPrefix+d.sale.ID) {
		if p, err := h.keyring.Pass(d.sale.Key, v, now); err == nil {
			s.pass = &p
			break
		}
	}
	if s.account == "" {
		s.account = s.device()
	}
	return s
}

// device names the browser by what it was given; empty when it has nothing.
func (s shopper) device() string {
	switch {
	case s.pass != nil:
		return s.pass.Account()
	case s.ticket != nil:
		return s.ticket.Account()
	default:
		return ""
	}
}

// number is the entry number that ticket or pass carries.
func (s shopper) number() (uint64, bool) {
	switch {
	case s.ticket != nil:
		return s.ticket.Number, true
	case s.pass != nil:
		return s.pass.Number, true
	default:
		return 0, false
	}
}

// me is the private answer about one shopper (the contract's fields).
type me struct {
	State    string  `json:"state"`
	Number   *uint64 `json:"number"`
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
func (b *board) stand(s shopper, soldOut bool, note *gate.Note) me {
	m := me{State: meNone}
	number, entered := s.number()
	if entered {
		m.Number = &number
		m.standing = b.line.Standing(number)
		if m.standing.Drawn {
			m.Place, m.Ahead = &m.standing.Place, &m.standing.Ahead
		}
	}
	m.State = b.stateOf(s, m.standing, soldOut, note)
	if m.State == meWaiting {
		low, high := int64(m.standing.Low.Seconds()), int64(m.standing.High.Seconds())
		m.ETALow, m.ETAHigh = &low, &high
	}
	m.poll = b.pollAfter(m)
	m.PollMS = m.poll.Milliseconds()
	return m
}

// stateOf is the table of a shopper's states; the first line that fits decides.
func (b *board) stateOf(s shopper, st queueing.Standing, soldOut bool, note *gate.Note) string {
	switch {
	case note != nil && holds(note.Status):
		return meHeld
	case b.state == stateEnded:
		return meEnded
	case b.state == stateSoldOut:
		return meSoldOut
	case b.state == statePaused:
		return mePaused
	case s.pass == nil && st.State == queueing.StandingWaiting && b.hopeless(st.Ahead):
		return meHopeless // also while all are held: what comes back is taken before
	case b.state == stateAllHeld || b.state == stateOpen && soldOut:
		return meSoldOut
	case s.pass != nil && b.state == stateOpen:
		return meAdmitted
	case s.ticket == nil || b.state == stateScheduled:
		return meNone
	default:
		return string(st.State)
	}
}

// holds reports whether a reservation in this status is one the shopper has.
func holds(s gate.Status) bool {
	return s == gate.Finishing || s == gate.Held || s == gate.Paid
}

// hopeless is the tail's verdict on somebody with so many people ahead. Held
// units may come back, so they count as units to be had.
func (b *board) hopeless(ahead uint64) bool {
	return shedding.Hopeless(shedding.Odds{
		Ahead: ahead, Left: b.gate.Left, Held: b.gate.Total - b.gate.Left - b.gate.Paid,
		Conversion: shedding.PriorConversion, Certainty: shedding.DefaultCertainty,
	})
}

const (
	calmPoll  = 20 * time.Second // nothing changes soon
	pausePoll = 5 * time.Second
	orderPoll = 2 * time.Second // a hold is being written or paid
)

// pollAfter is how long this shopper should wait before asking again; never a
// distance at which our own limits would refuse it.
func (b *board) pollAfter(m me) time.Duration {
	jitter := rand.Float64()
	spread := func(d time.Duration) time.Duration { return d + time.Duration(jitter*float64(d)/2) }
	switch m.State {
	case meLottery, meWaiting, meCalled:
		return b.line.PollAfter(m.standing, jitter)
	case meNone:
		if until := b.sale.Doors.Sub(b.now()); b.state == stateScheduled && until < calmPoll {
			return max(time.Second, until) + time.Duration(jitter*float64(2*time.Second))
		}
		return spread(calmPoll)
	case meAdmitted, meHeld:
		return spread(orderPoll)
	case mePaused, meSoldOut:
		return spread(pausePoll)
	default: // hopeless, ended
		return spread(calmPoll)
	}
}

package proxy

import (
	"math/rand/v2"
	"time"
)

const (
	calmPoll   = 20 * time.Second // nothing changes soon
	pausePoll  = 5 * time.Second
	cookiePoll = 2 * time.Second // until it is seen whether cookies are kept
	orderPoll  = 2 * time.Second // a hold is being written or paid, or may come back to this shopper

	// nextInLine are those behind the passes given who ask often for a unit that
	// comes back: few enough to cost nothing. The atHand first of all who got none
	// so far ask so often that it is theirs within two seconds.
	nextInLine = 200
	atHand     = 50
	atHandPoll = 500 * time.Millisecond
)

// pollAfter is how long this shopper should wait before asking again; never a
// distance at which our own limits would refuse it.
func (b *board) pollAfter(m *me) time.Duration {
	switch m.State {
	case meLottery, meWaiting, meCalled:
		return b.line.PollAfter(m.standing, rand.Float64())
	case meNone:
		if until := b.sale.Doors.Sub(b.now()); b.state == stateScheduled && until < calmPoll {
			return spread(max(time.Second, until))
		}
		return spread(calmPoll)
	case meAdmitted, meHeld:
		return spread(orderPoll)
	case mePaused:
		return spread(pausePoll)
	case meSoldOut:
		switch {
		case b.state == stateSoldOut:
		case b.atHand(m):
			return atHandPoll + rand.N(atHandPoll/4)
		case m.Invited, m.HasPlace && m.Place < b.line.Passes+nextInLine:
			return spread(orderPoll)
		default:
			return spread(pausePoll) // a unit may come back
		}
	}
	return spread(calmPoll) // hopeless, ended, sold out for good
}

// atHand reports whether somebody is among those who would get the next unit. As many
// as were told yes may stand before the first who got none.
func (b *board) atHand(m *me) bool {
	if m.Invited {
		return b.sale.Invitations <= atHand
	}
	return m.HasPlace && m.Place < b.gate.Won+atHand
}

// spread adds up to half of a wait to it, or up to a second if that is more, so
// that those who were told together do not come back together.
func spread(d time.Duration) time.Duration {
	return d + time.Duration(rand.Float64()*float64(max(d/2, time.Second)))
}

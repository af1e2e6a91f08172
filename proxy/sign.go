package proxy

import (
	"math/rand/v2"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// sign is what this edge knows of a room at one tick, as a board is of a sale. It
// never changes; the next tick hangs out a new one.
type sign struct {
	room   *configs.Room
	line   *queueing.Snapshot
	stale  bool      // Redis has not answered for a while
	taken  time.Time // this edge's clock when line.Now was read
	status document
}

func newSign(room *configs.Room, last *sign, line *queueing.Snapshot, taken time.Time, stale bool) *sign {
	s := &sign{room: room, line: line, taken: taken, stale: stale}
	if last != nil && last.room == room && last.stale == stale && last.line.Shown.Now.Equal(line.Shown.Now) {
		s.status = last.status
	} else {
		s.status = roomStatus(room, line.Shown, stale)
	}
	return s
}

// now is Redis time, carried on by this edge's monotonic clock since the tick.
func (s *sign) now() time.Time { return s.line.Now.Add(time.Since(s.taken)) }

// away reports whether Redis is better not asked: it did not answer lately.
func (s *sign) away() bool { return s.stale || time.Since(s.taken) > staleAfter }

// shut reports whether there is a line: who has no pass does not come in just so.
func (s *sign) shut() bool { return s.line.Armed || s.line.State == queueing.StatePaused }

// waiting is how many were not called yet.
func (s *sign) waiting() uint64 { return s.line.Entered - min(s.line.Head, s.line.Entered) }

// roomShared is the status document of a room: a sale's without what a room does
// not have, and whether there is a line.
type roomShared struct {
	Sale    string  `json:"sale"`
	Title   string  `json:"title"`
	State   string  `json:"state"`
	Now     int64   `json:"now"`
	Armed   bool    `json:"armed"`
	Active  uint64  `json:"active"` // inside; 0 where max_active is not set
	Entered uint64  `json:"entered"`
	Head    uint64  `json:"head"`
	Rate    float64 `json:"rate"`
	Message string  `json:"message"`
}

func roomStatus(room *configs.Room, shown *queueing.Snapshot, stale bool) document {
	return newDocument(roomShared{
		Sale: room.ID, Title: room.Title, State: roomState(shown, stale), Now: shown.Now.UnixMilli(),
		Armed: shown.Armed, Active: shown.Active,
		Entered: shown.Entered, Head: shown.Head, Rate: shown.Rate, Message: shown.Message,
	})
}

// roomState is the room's public state. A line of which nothing is known stands
// still.
func roomState(line *queueing.Snapshot, stale bool) string {
	if line.State == queueing.StatePaused || stale && line.Armed {
		return statePaused
	}
	return stateOpen
}

// stand says where a shopper stands, from the sign and what the shopper carries,
// without a call to anyone.
func (s *sign) stand(who shopper) me {
	m := me{State: meNone}
	number, entered := who.number()
	if entered {
		m.Number = &number
		m.standing = s.line.Standing(number)
		m.Place, m.Ahead = &m.standing.Place, &m.standing.Ahead
	}
	switch {
	case who.pass != nil:
		m.State = meAdmitted
	case roomState(s.line, s.stale) == statePaused:
		m.State = mePaused
	case who.ticket != nil:
		m.State = lineState[m.standing.State]
	}
	if m.State == meWaiting {
		low, high := int64(m.standing.Low.Seconds()), int64(m.standing.High.Seconds())
		m.ETALow, m.ETAHigh = &low, &high
	}
	m.askAgain(s.pollAfter(m))
	return m
}

func (s *sign) pollAfter(m me) time.Duration {
	switch m.State {
	case meWaiting, meCalled:
		return s.line.PollAfter(m.standing, rand.Float64())
	case mePaused:
		return spread(pausePoll)
	default:
		return spread(calmPoll)
	}
}

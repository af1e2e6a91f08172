package proxy

import (
	"math/rand/v2"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// placard is what this edge knows of a room at one tick, as a board is of a sale.
// It never changes; the next tick hangs out a new one.
type placard struct {
	room   *configs.Room
	line   *queueing.Snapshot
	stale  bool      // Redis has not answered for a while
	taken  time.Time // this edge's clock when line.Now was read
	status document
}

func newPlacard(room *configs.Room, last *placard, line *queueing.Snapshot, taken time.Time, stale bool) *placard {
	p := &placard{room: room, line: line, taken: taken, stale: stale}
	if last != nil && last.room == room && last.stale == stale && last.line.Shown.Now.Equal(line.Shown.Now) {
		p.status = last.status
	} else {
		p.status = roomStatus(room, line.Shown, stale)
	}
	return p
}

// now is Redis time, carried on by this edge's monotonic clock since the tick.
func (p *placard) now() time.Time { return p.line.Now.Add(time.Since(p.taken)) }

// away reports whether Redis is better not asked: it did not answer lately.
func (p *placard) away() bool { return p.stale || time.Since(p.taken) > staleAfter }

// shut reports whether there is a line: who has no pass does not come in just so.
func (p *placard) shut() bool { return p.line.Armed || p.line.State == queueing.StatePaused }

// waiting is how many were not called yet.
func (p *placard) waiting() uint64 { return p.line.Entered - min(p.line.Head, p.line.Entered) }

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
	Flow    float64 `json:"flow"` // places called a second, of late: seats may be short
	Message string  `json:"message"`
}

func roomStatus(room *configs.Room, shown *queueing.Snapshot, stale bool) document {
	return newDocument(roomShared{
		Sale: room.ID, Title: room.Title, State: roomState(shown, stale), Now: shown.Now.UnixMilli(),
		Armed: shown.Armed, Active: shown.Active,
		Entered: shown.Entered, Head: shown.Head, Rate: shown.Rate, Flow: shown.Flow, Message: shown.Message,
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

// stand says where a shopper stands, from the placard and what the shopper
// carries, without a call to anyone.
func (p *placard) stand(who *shopper) me {
	m := me{State: meNone}
	if n, ok := who.number(); ok {
		m.standing = p.line.Standing(n)
		m.Number, m.Place, m.Ahead = n.Value, m.standing.Place, m.standing.Ahead
		m.HasNumber, m.HasPlace, m.HasAhead = true, true, true
	}
	switch {
	case who.pass != nil:
		m.State = meAdmitted
	case roomState(p.line, p.stale) == statePaused:
		m.State = mePaused
	case who.ticket != nil:
		m.State = lineState[m.standing.State]
	}
	m.estimate()
	m.poll = p.pollAfter(&m)
	return m
}

func (p *placard) pollAfter(m *me) time.Duration {
	switch m.State {
	case meWaiting, meCalled:
		return p.line.PollAfter(m.standing, rand.Float64())
	case mePaused:
		return spread(pausePoll)
	default:
		return spread(calmPoll)
	}
}

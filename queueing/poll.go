package queueing

import "time"

// How often browsers are asked to come back.
const (
	pollSoon   = time.Second
	pollLong   = 20 * time.Second
	pollSpread = 10 * time.Second // on top of pollLong
	pollFar    = 25 * time.Second // the middle of pollLong and its spread

	drawPolls  = 3000             // polls a second right after the draw
	drawSpread = 30 * time.Second // the most the draw's polls are spread over
)

// PollAfter is when a shopper who waits for the draw, waits to be called or was
// called is to ask again; where else one may stand, nothing changes soon.
// jitter, in [0, 1), must be drawn anew for each answer: it keeps a crowd that
// came together from coming back together.
func (s *Snapshot) PollAfter(st Standing, jitter float64) time.Duration {
	long := pollLong + share(pollSpread, jitter)
	state := st.State
	if state == StandingWaiting && (s.Overdue() || st.Behind && !st.Drawn) {
		state = StandingLottery // who is behind the draw waits for it, too
	}
	switch state {
	case StandingLottery:
		spread := time.Duration(float64(s.Entered) / drawPolls * float64(time.Second))
		spread = min(max(spread, pollSoon), drawSpread)
		until := max(s.Opens.Sub(s.Now), 0)
		if s.Overdue() {
			until = pollSoon
		}
		return min(until+share(spread, jitter), long)
	case StandingWaiting:
		quarter := min(max(st.Low/4, pollSoon), pollFar)
		return quarter*4/5 + share(quarter*2/5, jitter)
	case StandingCalled:
		return pollSoon*4/5 + share(pollSoon*2/5, jitter)
	}
	return long
}

func share(d time.Duration, jitter float64) time.Duration {
	return time.Duration(float64(d) * jitter)
}

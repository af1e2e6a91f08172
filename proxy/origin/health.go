package origin

import "time"

const (
	awayFirst = time.Second // a server that does not answer is passed over for so long
	awayMost  = 30 * time.Second
	enough    = 3           // requests in a row that got no answer, over connections that came about: two may be one shopper who asks again
	patience  = time.Second // whoever waited for so long without a byte, and left, counts as half a request
)

// health is when a server is passed over: after a failed connection at once, after
// unanswered requests only when there are enough in a row, since anybody can ask
// for what takes long. Whatever it answers, a server that answers is fit.
type health struct {
	unanswered int       // in a row, in halves
	strikes    int       // times that it was found away in a row
	until      time.Time // passed over until then; zero: it is not away
}

func (h *health) away(now time.Time) bool { return now.Before(h.until) }

// fails notes what got no answer, and reports whether the server is passed over
// from now on; for how long doubles from time to time.
func (h *health) fails(now time.Time, connected bool) bool {
	if h.away(now) {
		return false // what was under way when it was found out
	}
	if h.unanswered += 2; connected && h.unanswered < 2*enough {
		return false
	}
	return h.strike(now)
}

// leaves notes a client that got no answer and left. It reports what fails does.
func (h *health) leaves(now time.Time) bool {
	if h.away(now) {
		return false
	}
	if h.unanswered++; h.unanswered < 2*enough {
		return false
	}
	return h.strike(now)
}

func (h *health) strike(now time.Time) bool {
	h.until = now.Add(min(awayFirst<<min(h.strikes, 10), awayMost))
	h.strikes++
	return true
}

// answers notes an answer, and reports whether it is the first since the server
// was away.
func (h *health) answers() bool {
	back := h.strikes > 0
	*h = health{}
	return back
}

// doubtful reports whether a server was away and has not answered since.
func (h *health) doubtful() bool { return h.strikes > 0 }

// probe lets one request try a server whose time is up; others pass it over until
// it is known what came of that.
func (h *health) probe(now time.Time) {
	if h.strikes > 0 {
		h.until = now.Add(awayFirst)
	}
}

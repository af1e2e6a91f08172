package ledger

// nudge asks for something to be done soon. Asking again before it is done is
// asking once.
type nudge chan struct{}

func newNudge() nudge { return make(nudge, 1) }

func (n nudge) give() {
	select {
	case n <- struct{}{}:
	default:
	}
}

package listen

// reason is a bound for which a connection is refused, or another one goes. There are
// only these few, so that one may be the label of a metric.
type reason string

const (
	tooMany           reason = "connections"
	tooManyHands      reason = "handshakes"
	tooManyOfOne      reason = "address_connections"
	tooManyHandsOfOne reason = "address_handshakes"
	tooManyWait       reason = "waiting" // for a seat at the desk
	tooLate           reason = "late"    // for one
)

func (r reason) Error() string { return "one more than may be, or later: " + string(r) }

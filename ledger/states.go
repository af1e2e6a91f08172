package ledger

// Status is where an order stands.
type Status string

// An order is live while it is waiting for its payment or paid: it counts
// against the stock.
const (
	Pending   Status = "PENDING_PAYMENT"
	Paid      Status = "PAID"
	Expired   Status = "EXPIRED"
	Cancelled Status = "CANCELLED"
)

// Live reports whether an order holds or has bought its units.
func (s Status) Live() bool { return s == Pending || s == Paid }

// cause is why an order moves; it is the word in the journal.
type cause string

const (
	held      cause = "held"      // the winner became an order
	paid      cause = "paid"      // the money came in time
	expired   cause = "expired"   // it did not
	cancelled cause = "cancelled" // the storefront took the order back
	reheld    cause = "reheld"    // the money came late, and a unit was left
)

// moves are all the moves that an order can make. No other is legal.
var moves = []struct {
	cause    cause
	from, to Status
}{
	{held, "", Pending},
	{paid, Pending, Paid},
	{expired, Pending, Expired},
	{cancelled, Pending, Cancelled},
	{reheld, Expired, Paid},
	{reheld, Cancelled, Paid},
}

// after returns where a cause takes an order that stands at s. An order that is
// not yet there stands at "".
func (s Status) after(c cause) (to Status, ok bool) {
	for _, m := range moves {
		if m.cause == c && m.from == s {
			return m.to, true
		}
	}
	return s, false
}

// share is how many units of each one ordered a move adds to sold.
func share(from, to Status) int {
	switch {
	case !from.Live() && to.Live():
		return 1
	case from.Live() && !to.Live():
		return -1
	default:
		return 0
	}
}

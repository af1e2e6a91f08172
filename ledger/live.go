package ledger

import (
	"time"

	"github.com/waitroom/waitroom/configs"
)

const (
	// liveBefore is how long before its doors a sale is looked after closely.
	liveBefore = time.Minute
	// liveAfter is how long it still is once its last hold has run out.
	liveAfter = 5 * time.Minute
)

// live reports whether a sale can have winners, or orders that run out, at an
// instant. One that is not live is looked after too, but slowly.
func live(sale *configs.Sale, at time.Time) bool {
	return !at.Before(sale.Doors.Add(-liveBefore)) && at.Before(sale.Closes.Add(sale.Hold+liveAfter))
}

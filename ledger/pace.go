package ledger

import (
	"time"

	"golang.org/x/time/rate"
)

const (
	// defaultPace is how many orders a second are written when the configuration
	// says nothing.
	defaultPace = 500
	// largestBatch is enough for the flush to disk to be a small part of what an
	// order costs. It holds the stock row for milliseconds.
	largestBatch = 1000
	// batchesPerSecond is into how many batches a second's worth of orders is cut,
	// at least, so that a slow pace is an even one.
	batchesPerSecond = 5
)

// newPace returns the bucket that winners draw on, and how many of them make a
// batch at most. The bucket has room for one batch, and is empty at first: in any
// time t no more than most + perSecond × t are written, also across restarts.
func newPace(perSecond int, now time.Time) (pace *rate.Limiter, most int) {
	if perSecond <= 0 {
		perSecond = defaultPace
	}
	most = min(max(1, perSecond/batchesPerSecond), largestBatch)
	pace = rate.NewLimiter(rate.Limit(perSecond), most)
	pace.AllowN(now, most)
	return pace, most
}

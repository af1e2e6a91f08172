package certs

import "time"

const (
	firstPause   = time.Minute
	longestPause = 6 * time.Hour
	limitedPause = time.Hour // at least, after an issuer said that it is asked too often
)

// attempts is what edges tell each other of orders for a domain that failed.
type attempts struct {
	Failed int       `json:"failed"` // in a row
	Until  time.Time `json:"until"`  // no order before
}

// after is what holds once another order has failed. The pause doubles from one
// minute to six hours; limited, it is an hour at least.
func (a attempts) after(now time.Time, limited bool) attempts {
	pause := longestPause
	if a.Failed < 10 { // 2^10 minutes are more
		pause = min(firstPause<<a.Failed, longestPause)
	}
	if limited {
		pause = max(pause, limitedPause)
	}
	return attempts{Failed: a.Failed + 1, Until: now.Add(pause)}
}

// left is how long an order has to wait. An instant that no pause could have led
// to comes from a clock that was wrong.
func (a attempts) left(now time.Time) time.Duration {
	if left := a.Until.Sub(now); left <= longestPause {
		return max(left, 0)
	}
	return 0
}

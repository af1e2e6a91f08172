package ledger

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

const (
	firstRetry   = 2 * time.Second
	longestRetry = 10 * time.Minute
	// longestAsked is how long a shop can ask to be left alone with a refund.
	longestAsked = time.Hour
)

// declined says that a shop did not take a refund.
type declined struct {
	status string
	after  time.Duration // until when it asked to be left alone; zero: it did not
}

func (e *declined) Error() string { return "the shop answered " + e.status }

// retryIn is how long a refund rests that was not taken: as long as the shop asked,
// within firstRetry and longestAsked, else by the count of its attempts.
func retryIn(attempt int, why error) time.Duration {
	no, ok := errors.AsType[*declined](why)
	if !ok || no.after <= 0 {
		return backoff(attempt)
	}
	d := min(max(no.after, firstRetry), longestAsked)
	return d + rand.N(d/4) // never before it asked for, and not all at once
}

// backoff doubles with each attempt, up to longestRetry, give or take a quarter.
func backoff(attempt int) time.Duration {
	d := min(firstRetry<<min(attempt-1, 20), longestRetry)
	return d*3/4 + rand.N(d/2)
}

// retryAfter reads the header of that name: seconds, or an instant (RFC 9110,
// section 10.2.3). It is zero when there is none, or one that makes no sense.
func retryAfter(h http.Header, now time.Time) time.Duration {
	said := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(said, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(longestAsked/time.Second))) * time.Second
	}
	at, err := http.ParseTime(said)
	if err != nil {
		return 0
	}
	return at.Sub(now)
}

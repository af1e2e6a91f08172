package framing

import "time"

// What a client may send of frames that do nothing by themselves: so many at once,
// and so many a second. Apart from these, one that says that there is room for
// each few bytes that it got.
const (
	creditMost   = 1000
	creditSecond = 200
	updateBytes  = 512
)

// credit is a bucket of such frames, full when it is new.
type credit struct {
	left    float64
	at      time.Time
	updates int64 // that bytes have paid for
}

// take takes one, unless there is none.
func (c *credit) take(now time.Time) bool {
	c.left = min(creditMost, c.left+max(0, now.Sub(c.at).Seconds())*creditSecond)
	c.at = now
	if c.left < 1 {
		return false
	}
	c.left--
	return true
}

// takeUpdate takes one that says that there is room, of a client that has got so
// many bytes so far.
func (c *credit) takeUpdate(now time.Time, bytes int64) bool {
	if c.updates < bytes/updateBytes {
		c.updates++
		return true
	}
	return c.take(now)
}

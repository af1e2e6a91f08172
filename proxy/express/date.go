package express

import (
	"net/http"
	"sync/atomic"
	"time"
)

// dated is a second as an answer has it.
type dated struct {
	second int64
	line   []byte // of HTTP/1.1
	field  []byte // of a block of HTTP/2
}

// clock is the newest second.
type clock struct{ newest atomic.Pointer[dated] }

// at is the second of an instant.
func (c *clock) at(now time.Time) *dated {
	if d := c.newest.Load(); d != nil && d.second == now.Unix() {
		return d
	}
	const without, name = 0x0f, 33 - 0x0f // a literal that no table keeps, "date" of the static table (RFC 7541, 6.2.2)
	text := now.UTC().Format(http.TimeFormat)
	d := &dated{second: now.Unix(), line: []byte("Date: " + text + "\r\n")}
	d.field = append(append(d.field, without, name, byte(len(text))), text...)
	c.newest.Store(d)
	return d
}

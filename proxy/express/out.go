package express

import (
	"net"
	"time"
)

const (
	flushAt    = 32 << 10    // bytes from which on it is time to write
	mostCopied = 32 << 10    // bytes of a body that is put behind what waits: a larger one is written from where it lies
	keptOut    = 4 * flushAt // bytes of a buffer that is kept for others: one answer more than that, and what append takes ahead
)

// out is what waits to be written to one client. It has memory only while something
// does.
type out struct {
	lane    *Lane
	conn    net.Conn
	buf     *[]byte   // nil: nothing waits
	writeBy time.Time // the deadline in force; zero: none
}

// bytes are what waits, to be given back longer by set.
func (o *out) bytes() []byte {
	if o.buf == nil {
		o.buf = o.lane.outs.Get().(*[]byte) //nolint:errcheck // they all are
	}
	return *o.buf
}

func (o *out) set(b []byte) { *o.buf = b }

// take gives what waits to who writes it alone; nothing waits then.
func (o *out) take() out {
	mine := *o
	o.buf = nil
	return mine
}

// much reports whether it is time to write, though more may follow.
func (o *out) much() bool { return o.buf != nil && len(*o.buf) >= flushAt }

// flush writes what waits.
func (o *out) flush(now time.Time) error {
	if o.buf == nil {
		return nil
	}
	err := o.write(now, *o.buf)
	*o.buf = (*o.buf)[:0]
	if cap(*o.buf) <= keptOut {
		o.lane.outs.Put(o.buf)
	}
	o.buf = nil
	return err
}

// write writes what lies elsewhere. Nothing waits before it.
func (o *out) write(now time.Time, b []byte) error {
	if long := o.lane.times.Write; o.writeBy.Sub(now) < long-long/16 { // each costs more than it is worth
		o.writeBy = now.Add(long)
		_ = o.conn.SetWriteDeadline(o.writeBy)
	}
	_, err := o.conn.Write(b)
	return err
}

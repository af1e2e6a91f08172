package express

import (
	"net"
	"sync"
	"time"
)

// Times are how long a client may take.
type Times struct {
	Head  time.Duration // from the first byte of a request's head to its last, and for the first one to begin
	Idle  time.Duration // between requests
	Write time.Duration // to take what is written at once
}

// A Lane answers on the connections of one listener.
type Lane struct {
	desk    Desk
	times   Times
	streams uint32
	leaving func() bool
	clock   clock
	sheets  sync.Pool // *sheet
	outs    sync.Pool // *[]byte
}

// New makes a lane before a desk. streams is how many a client may have open at once
// over HTTP/2, as the server says that is behind it. Once leaving says so, an answer over
// HTTP/1.1 is the last on its connection.
func New(desk Desk, times Times, streams uint32, leaving func() bool) *Lane {
	l := &Lane{desk: desk, times: times, streams: streams, leaving: leaving}
	l.sheets.New = func() any { return &sheet{} }
	l.outs.New = func() any { return new([]byte) }
	return l
}

// Place is a connection as the ordinary handler has it.
type Place interface {
	net.Conn
	// Stirred says that a request has been answered there.
	Stirred(now time.Time)
}

// mostKept bounds a buffer that is kept for others, in bytes.
const mostKept = 64 << 10

// sheet is what one request needs while it is answered, and no connection meanwhile.
type sheet struct {
	Request
	head []byte // of HTTP/1.1, its names in lower case
}

func (l *Lane) sheet() *sheet { return l.sheets.Get().(*sheet) } //nolint:errcheck // they all are

// done is called when an answer lies in line to be written: the request's texts are over.
// They are wiped, so that whoever keeps one has nothing in any test, rather than another
// shopper's in some.
func (l *Lane) done(s *sheet) {
	clear(s.head)
	if cap(s.Buf) > mostKept || cap(s.head) > mostKept {
		return
	}
	clear(s.Fields)
	s.Request = Request{Fields: s.Fields[:0], Scratch: Scratch{Buf: s.Buf[:0], Note: s.Note}}
	l.sheets.Put(s)
}

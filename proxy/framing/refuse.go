package framing

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	answerWait = 5 * time.Second
	linger     = 500 * time.Millisecond
	mostTrash  = 256 << 10 // bytes read of a client that was refused
)

// refuseHead answers a head that is refused. Answers to messages before it may
// still be on their way: that they are written is known when the server reads on
// after the first byte of this one.
func (c *Conn) refuseHead(p []byte) (int, error) {
	begins := c.at + c.reader.head.blank
	if c.given = max(c.given, begins); c.begun > 1 && c.given == begins {
		return c.give(p, begins+1), nil
	}
	c.over.Store(true)
	c.refused(string(c.no))
	text := c.no.Error() + "\n"
	_ = c.Conn.SetWriteDeadline(time.Now().Add(answerWait)) // the one in force was an earlier answer's
	_, err := fmt.Fprintf(c.Conn, "HTTP/1.1 %d %s\r\nDate: %s\r\nContent-Type: text/plain; charset=utf-8\r\n"+
		"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s",
		c.no.Status(), http.StatusText(c.no.Status()), time.Now().UTC().Format(http.TimeFormat), len(text), text)
	if err == nil {
		c.partFrom()
	}
	return 0, io.EOF
}

// partFrom ends writing and reads on for a moment: a connection that is closed
// with bytes unread is reset, and its client may lose the answer (RFC 9112, 9.6).
func (c *Conn) partFrom() {
	_ = c.CloseWrite()
	_ = c.Conn.SetReadDeadline(time.Now().Add(linger))
	_, _ = io.CopyN(io.Discard, c.Conn, mostTrash)
}

// Write writes, unless the server would answer a second time what was refused.
func (c *Conn) Write(p []byte) (int, error) {
	if c.over.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// CloseWrite ends writing where the connection can do that by itself.
func (c *Conn) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close closes. A client whose body was refused is given time to read why.
func (c *Conn) Close() error {
	if c.spoilt.Load() && c.over.CompareAndSwap(false, true) {
		c.partFrom()
	}
	return c.Conn.Close()
}

package framing

import (
	"fmt"
	"io"
	"net/http"
	"time"
)

const answerWait = 5 * time.Second

// refuseHead answers a head that is refused. Answers to messages before it may
// still be on their way: that they are written is known when the server reads on
// after the first byte of this one.
func (c *HTTP1) refuseHead(p []byte) (int, error) {
	begins := c.at + c.reader.head.blank
	c.given = max(c.given, begins)
	allAnswered := c.tap != nil && !background(p) // by the lane, or by a server that reads on
	if !allAnswered && c.begun > 1 && c.given == begins {
		return c.give(p, begins+1), nil
	}
	if allAnswered {
		c.tap.Wait(true)
	}
	if c.over.Swap(true) {
		return 0, io.EOF
	}
	c.refused(string(c.no))
	text := c.no.Error() + "\n"
	_ = c.Conn.SetWriteDeadline(time.Now().Add(answerWait)) // the one in force was an earlier answer's
	_, _ = fmt.Fprintf(c.Conn, "HTTP/1.1 %d %s\r\nDate: %s\r\nContent-Type: text/plain; charset=utf-8\r\n"+
		"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s",
		c.no.Status(), http.StatusText(c.no.Status()), time.Now().UTC().Format(http.TimeFormat), len(text), text)
	return 0, io.EOF
}

// Write writes, unless the server would answer a second time what was refused.
func (c *HTTP1) Write(p []byte) (int, error) {
	if c.over.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// CloseWrite ends writing where the connection can do that by itself.
func (c *HTTP1) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

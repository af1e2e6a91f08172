package main

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"strconv"
	"strings"
)

// one is a connection over HTTP/1.1. It looks at no more of an answer than its status
// and its length: who asks must cost less than who answers.
type one struct {
	*tls.Conn
	target
	request, status []byte
	buf             []byte
}

func newOne(c *tls.Conn, t target) *one {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nhost: %s\r\n", t.ask.method, t.ask.path, shop)
	for _, f := range t.ask.fields(t.ticket) {
		fmt.Fprintf(&b, "%s: %s\r\n", f[0], f[1])
	}
	b.WriteString("\r\n")
	return &one{Conn: c, target: t, request: []byte(b.String()), status: strconv.AppendInt(nil, int64(t.ask.status), 10), buf: make([]byte, 17<<10)}
}

func (c *one) talk() error {
	if _, err := c.Write(c.request); err != nil {
		return err
	}
	have, end := 0, -1
	for end < 0 {
		n, err := c.Read(c.buf[have:])
		if err != nil {
			return fmt.Errorf("read answer to %s: %w", c.ask.path, err)
		}
		have += n
		end = bytes.Index(c.buf[:have], []byte("\r\n\r\n"))
	}
	head := c.buf[:end+2] // with the end of its last line
	length := lengthOf(head)
	if len(head) < 12 || !bytes.Equal(head[9:12], c.status) || length == 0 {
		return fmt.Errorf("%w: %.*q", c.unwanted(string(head[9:min(12, len(head))])), 400, c.buf[:have])
	}
	if length < 0 {
		return c.drain(have)
	}
	for left := length - (have - end - 4); left > 0; {
		n, err := c.Read(c.buf)
		if err != nil {
			return fmt.Errorf("read body of %s: %w", c.ask.path, err)
		}
		left -= n
	}
	return nil
}

// drain reads to the last chunk of a body, whose end is the end of what has come: no
// other answer is due. Caddy sends what is packed like this.
func (c *one) drain(have int) error {
	last := []byte("\r\n0\r\n\r\n")
	for !bytes.HasSuffix(c.buf[:have], last) {
		have = copy(c.buf, c.buf[max(0, have-len(last)):have])
		n, err := c.Read(c.buf[have:])
		if err != nil {
			return fmt.Errorf("read body of %s: %w", c.ask.path, err)
		}
		have += n
	}
	return nil
}

// lengthOf is what a head says of the body, or -1.
func lengthOf(head []byte) int {
	const name = "content-length:"
	for len(head) > len(name) {
		line, rest, _ := bytes.Cut(head, []byte("\r\n"))
		if len(line) > len(name) && line[7] == '-' && bytes.EqualFold(line[:len(name)], []byte(name)) {
			if n, err := strconv.Atoi(string(bytes.TrimSpace(line[len(name):]))); err == nil {
				return n
			}
		}
		head = rest
	}
	return -1
}

package origin

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// errLongHead is an answer whose head is longer than any sensible one.
var errLongHead = fmt.Errorf("head of the answer exceeded %d bytes", mostAnswer)

// ins are what answers are read into. A connection that waits for a request has none.
var ins = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, mostWhole) }}

// texts are what plain requests are written into.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// mostWhole is how much of an answer is read at once: one that is no longer, with its
// head, is whole when its head is there.
const mostWhole = 16 << 10

// direct is a connection of HTTP/1.1 over which whoever asks speaks for themselves: no
// goroutine stands between them and the server. It carries plain requests, one at a
// time, and is given to a standard client for the first other one.
type direct struct {
	net.Conn
	opener *opener

	in    *bufio.Reader // nil: it is not read
	head  int64         // bytes that may still be read of a head
	fault error         // why nothing more could be read
	stop  func() bool   // ends the watch over who asked; nil: nobody leaves
	last  bool          // the connection ends with this answer
	ended atomic.Bool   // the answer has come to its end, and nobody reads on
}

// Read is what the answer is read from.
func (d *direct) Read(p []byte) (int, error) {
	if d.head <= 0 {
		return 0, errLongHead
	}
	n, err := d.Conn.Read(p[:min(int64(len(p)), d.head)])
	d.head -= int64(n)
	d.fault = err
	return n, err
}

// ask sends a plain request and gives the answer when its head is there. When it fails,
// the connection is closed.
func (d *direct) ask(c *call) (*http.Response, error) {
	ctx := c.req.Context()
	d.in, d.stop, d.last, d.fault = ins.Get().(*bufio.Reader), nil, false, nil
	d.in.Reset(d)
	d.ended.Store(false)
	if ctx.Done() != nil {
		d.stop = context.AfterFunc(ctx, func() { _ = d.Conn.Close() })
	}
	resp, err := d.exchange(c, httptrace.ContextClientTrace(ctx))
	if err != nil {
		_ = d.Close()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	resp.Request = c.req
	d.last = resp.Close || resp.StatusCode < http.StatusOK
	d.carry(ctx, resp)
	return resp, nil
}

func (d *direct) exchange(c *call, trace *httptrace.ClientTrace) (*http.Response, error) {
	_ = d.SetWriteDeadline(time.Now().Add(d.opener.stall)) // fails on closed ones alone, as Write will
	text := texts.Get().(*[]byte)
	*text = append(appendHead((*text)[:0], c.req, c.target), c.small...)
	n, lost := d.Write(*text)
	texts.Put(text)
	c.sent.Store(n > 0)
	if lost != nil && !errors.Is(lost, syscall.EPIPE) && !errors.Is(lost, syscall.ECONNRESET) {
		return nil, fmt.Errorf("send request: %w", lost)
	}
	if wait := d.opener.timeout; wait > 0 {
		_ = d.SetReadDeadline(time.Now().Add(wait))
	}
	d.head = mostAnswer
	if _, err := d.in.Peek(1); err != nil {
		if lost != nil { // and it was not answered before it was whole
			err = lost
		}
		return nil, fmt.Errorf("await answer: %w", err)
	}
	c.heard.Store(true)
	if trace != nil && trace.GotFirstResponseByte != nil {
		trace.GotFirstResponseByte()
	}
	resp, err := d.final(c.req, trace)
	if err != nil {
		if isTimeout(d.fault) { // not what it looks like cut there
			err = d.fault
		}
		if d.head <= 0 {
			err = errLongHead
		}
		return nil, fmt.Errorf("read answer: %w", err)
	}
	_ = d.SetReadDeadline(time.Time{}) // its body may take as long as it likes
	d.head = math.MaxInt64
	return resp, nil
}

// final is the answer behind those of the 1xx kind.
func (d *direct) final(req *http.Request, trace *httptrace.ClientTrace) (*http.Response, error) {
	for {
		if req.Method != http.MethodHead {
			if resp := plainAnswer(d.in); resp != nil {
				return resp, nil
			}
		}
		resp, err := http.ReadResponse(d.in, req)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode < 100 || resp.StatusCode >= http.StatusOK || resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, nil
		}
		if trace != nil && trace.Got1xxResponse != nil {
			if err := trace.Got1xxResponse(resp.StatusCode, textproto.MIMEHeader(resp.Header)); err != nil {
				return nil, err
			}
			d.head = mostAnswer // whoever looks at them counts them
		}
	}
}

// carry gives an answer its body. What has come whole is read from memory, and the
// connection is free at once.
func (d *direct) carry(ctx context.Context, resp *http.Response) {
	here := int64(d.in.Buffered())
	switch {
	case resp.Body == http.NoBody, resp.Body == nil && resp.ContentLength == 0:
		resp.Body = http.NoBody
		d.end()
	case resp.Body != nil:
		resp.Body = &comingBody{direct: d, ctx: ctx, from: resp.Body, left: -1}
	case here >= resp.ContentLength:
		text, _ := d.in.Peek(int(resp.ContentLength))
		resp.Body = &wholeBody{in: d.in, text: text}
		d.last = d.last || here > resp.ContentLength
		d.in = nil
		d.ended.Store(true)
	default:
		resp.Body = &comingBody{direct: d, ctx: ctx, from: d.in, left: resp.ContentLength}
	}
}

// end is for the end of an answer, by who has read it. What stands behind it is nobody's.
func (d *direct) end() {
	d.last = d.last || d.in.Buffered() > 0
	d.in.Reset(nil)
	ins.Put(d.in)
	d.in = nil
	d.ended.Store(true)
}

// rest reports whether another request can go out: the answer has come to its end,
// nothing stood behind it, and nobody has left meanwhile.
func (d *direct) rest() bool {
	if !d.ended.Load() {
		return false
	}
	stays := d.stop == nil || d.stop()
	return stays && !d.last && d.isDrained()
}

// isDrained reports whether nothing is left of what was read from the connection. Only
// TLS keeps anything back.
func (d *direct) isDrained() bool {
	secure, ok := d.Conn.(*tls.Conn)
	if !ok {
		return true
	}
	_ = secure.SetReadDeadline(time.Unix(1, 0)) // what has not come yet is not waited for
	n, err := secure.Read(make([]byte, 1))
	_ = secure.SetReadDeadline(time.Time{})
	return n == 0 && isTimeout(err)
}

// Close ends the connection, and the watch over who asked.
func (d *direct) Close() error {
	if d.stop != nil {
		d.stop()
	}
	return d.Conn.Close()
}

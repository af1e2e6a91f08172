package crowd

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

const bodyLimit = 1 << 20 // bytes of an answer that are read

// browser is one keep-alive connection of one shopper and what is needed to
// open it again. net/http's own client costs two goroutines and more buffers a
// connection, too much for twenty thousand of them in one process.
type browser struct {
	crowd *crowd
	from  *net.TCPAddr // nil: whatever the system picks
	tls   *tls.Config  // nil: plain
	conn  net.Conn     // nil: closed
	in    *bufio.Reader
	bound func() bool // undoes the tie between conn and ctx
}

var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4096) }}

func (c *crowd) newBrowser(i int) browser {
	b := browser{crowd: c}
	if c.own {
		b.from = &net.TCPAddr{IP: source(i)}
	}
	if c.secure {
		// Each shopper resumes their own sessions only, as browsers do.
		b.tls = c.tls.Clone()
		b.tls.ClientSessionCache = &resumption{}
	}
	return b
}

// exchange sends one request and reads its answer, over the open connection if
// there is one. A server may close an idle connection at any time, so a kept
// one that turns out to be dead is replaced once, which is nobody's error.
func (b *browser) exchange(ctx context.Context, q request) (reply, error) {
	if b.conn != nil {
		r, err := b.send(ctx, q)
		if err == nil || ctx.Err() != nil || isTimeout(err) {
			return r, err
		}
	}
	if err := b.open(ctx); err != nil {
		return reply{}, err
	}
	return b.send(ctx, q)
}

// open takes a slot, dials and shakes hands.
func (b *browser) open(ctx context.Context) error {
	if err := b.crowd.slots.take(ctx); err != nil {
		return err
	}
	if err := b.crowd.slots.dials.Acquire(ctx, 1); err != nil {
		b.crowd.slots.give()
		return err
	}
	defer b.crowd.slots.dials.Release(1)
	began := time.Now()
	conn, err := b.dial(ctx)
	if err != nil {
		b.crowd.slots.give()
		return fmt.Errorf("dial edge: %w", err)
	}
	b.conn = conn
	_ = conn.SetDeadline(time.Now().Add(b.crowd.timeout)) // a dead connection tells at its next use
	b.tie(ctx)
	if b.tls != nil {
		secure := tls.Client(conn, b.tls)
		b.conn = secure
		if err := secure.Handshake(); err != nil {
			b.close()
			return fmt.Errorf("shake hands: %w", err)
		}
	}
	b.in = readers.Get().(*bufio.Reader)
	b.in.Reset(b.conn)
	b.crowd.visits.connected(time.Since(began))
	return nil
}

// tie makes the open connection fail once ctx ends, so that an error seen then
// is known to be ours.
func (b *browser) tie(ctx context.Context) {
	if b.bound != nil {
		b.bound()
	}
	conn := b.conn
	b.bound = context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
}

func (b *browser) dial(ctx context.Context) (net.Conn, error) {
	d := net.Dialer{Timeout: b.crowd.timeout, KeepAlive: -1}
	if b.from != nil {
		d.LocalAddr = b.from
	}
	return d.DialContext(ctx, "tcp", b.crowd.address)
}

// send writes one request on the open connection and reads the answer. On any
// error the connection is closed.
func (b *browser) send(ctx context.Context, q request) (reply, error) {
	began := time.Now()
	if err := b.write(ctx, q); err != nil {
		return reply{}, err
	}
	for {
		res, err := http.ReadResponse(b.in, nil)
		if err != nil {
			b.close()
			return reply{}, fmt.Errorf("read answer: %w", err)
		}
		body, err := io.ReadAll(io.LimitReader(res.Body, bodyLimit))
		if err != nil {
			b.close()
			return reply{}, fmt.Errorf("read answer: %w", err)
		}
		if res.StatusCode < 200 {
			continue // early hints
		}
		if res.Close || len(body) == bodyLimit {
			b.close()
		}
		return reply{status: res.StatusCode, header: res.Header, body: body, took: time.Since(began)}, nil
	}
}

func (b *browser) write(ctx context.Context, q request) error {
	_ = b.conn.SetDeadline(time.Now().Add(b.crowd.timeout))
	if ctx.Err() != nil { // it may have ended just before the line above
		b.close()
		return ctx.Err()
	}
	if _, err := b.conn.Write(q.bytes(b.crowd)); err != nil {
		b.close()
		return fmt.Errorf("send request: %w", err)
	}
	return nil
}

// close ends the connection, if there is one, and frees its slot.
func (b *browser) close() {
	if b.conn == nil {
		return
	}
	b.bound()
	_ = b.conn.SetDeadline(time.Now().Add(time.Second))
	b.conn.Close()
	if b.in != nil {
		b.in.Reset(nil)
		readers.Put(b.in)
	}
	b.conn, b.in, b.bound = nil, nil, nil
	b.crowd.slots.give()
}

func isTimeout(err error) bool {
	n, ok := errors.AsType[net.Error](err)
	return ok && n.Timeout()
}

// resumption remembers the last TLS ticket of one shopper, whose second tab
// may ask at the same moment.
type resumption struct {
	mu   sync.Mutex
	last *tls.ClientSessionState
}

func (r *resumption) Get(string) (*tls.ClientSessionState, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last, r.last != nil
}

func (r *resumption) Put(_ string, state *tls.ClientSessionState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = state
}

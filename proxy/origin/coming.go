package origin

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// comingBody is an answer's that is read from its connection as it comes.
type comingBody struct {
	direct *direct
	ctx    context.Context //nolint:containedctx // of the request: whoever reads is told why it ended

	mu   sync.Mutex // one reads at a time
	from io.Reader  // nil: it has ended
	left int64      // bytes; negative: what it is read from knows its end
}

func (b *comingBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.from == nil {
		return 0, io.EOF
	}
	if b.left >= 0 && int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.from.Read(p)
	if b.left >= 0 {
		if b.left -= int64(n); b.left == 0 {
			err = io.EOF
		} else if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
	}
	switch {
	case err == io.EOF:
		b.from = nil
		b.direct.end()
	case err != nil && b.ctx.Err() != nil:
		err = context.Cause(b.ctx)
	}
	return n, err
}

// lastChunk is what chunks end with that have come whole (RFC 9112, 7.1).
var lastChunk = []byte("\r\n0\r\n\r\n")

// Ready reports whether something can be read without waiting.
func (b *comingBody) Ready() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.from == nil {
		return true
	}
	here, _ := b.direct.in.Peek(b.direct.in.Buffered())
	return len(here) > 0 && b.left >= 0 || bytes.HasSuffix(here, lastChunk)
}

// Close ends the connection with an answer that was not read to its end: that is how a
// server learns that nobody wants the rest.
func (b *comingBody) Close() error {
	if b.direct.ended.Load() {
		return nil
	}
	return b.direct.Conn.Close()
}

// wholeBody is an answer's that had come whole with its head.
type wholeBody struct {
	mu    sync.Mutex // who closes it may not be who reads it
	in    *bufio.Reader
	text  []byte // not read yet, in there
	early *atomic.Int64
}

func (b *wholeBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.in == nil {
		return 0, http.ErrBodyReadAfterClose
	}
	n := copy(p, b.text)
	if b.text = b.text[n:]; len(b.text) == 0 {
		return n, io.EOF
	}
	return n, nil
}

// Ready reports whether it can be read without waiting.
func (b *wholeBody) Ready() bool { return true }

func (b *wholeBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.in == nil {
		return nil
	}
	b.in.Reset(nil)
	ins.Put(b.in)
	b.in, b.text = nil, nil
	if b.early != nil {
		b.early.Add(-1)
	}
	return nil
}

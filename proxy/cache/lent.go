package cache

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// lentFrom is the size from which a body counts as one that readers hold on to: of
// smaller ones a connection holds as much by itself.
const lentFrom = 96 << 10

// lent counts the large bodies that somebody reads, each once, whether they are still
// kept or not. While they are more bytes than the cache may keep, no large body is
// read ahead of its reader: who reads slowly then holds up the origin's connection
// and not our memory.
type lent struct {
	mu    sync.Mutex
	out   map[any]*loan // by *answer or *spool
	bytes int64
}

type loan struct {
	readers int
	bytes   int64
}

// lend counts one reader more of a body; back is to be called once they have done.
func (l *lent) lend(body any, bytes int64) (back func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.out[body]
	if o == nil {
		if l.out == nil {
			l.out = map[any]*loan{}
		}
		o = &loan{}
		l.out[body] = o
	}
	o.readers++
	l.resize(o, max(o.bytes, bytes))
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if o.readers--; o.readers == 0 {
			l.resize(o, 0)
			delete(l.out, body)
		}
	})
}

// grown notes that a body has become larger, if somebody reads it.
func (l *lent) grown(body any, bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o := l.out[body]; o != nil {
		l.resize(o, bytes)
	}
}

func (l *lent) resize(o *loan, bytes int64) {
	if o.bytes >= lentFrom {
		l.bytes -= o.bytes
	}
	if o.bytes = bytes; bytes >= lentFrom {
		l.bytes += bytes
	}
}

// exceeds reports whether more than so many bytes are out.
func (l *lent) exceeds(most int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes > most
}

// respond answers from memory; the body counts as lent until it is closed.
func (c *Cache) respond(r *http.Request, a *answer) *http.Response {
	resp := a.response(r, time.Now())
	if size := a.size(); size >= lentFrom && r.Method != http.MethodHead {
		resp.Body = newEnding(io.NopCloser(resp.Body), c.lent.lend(a, size))
	}
	return resp
}

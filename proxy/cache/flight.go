package cache

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// aloneFor is how long a fetch goes on that nobody waits for any more.
const aloneFor = 30 * time.Second

// errNobody ends a fetch that nobody waits for.
var errNobody = errors.New("nobody waits for this answer")

// landing is what a flight brought.
type landing int

const (
	renewed  landing = iota // what was kept is still good
	spooling                // an answer that can be kept, as it comes
	alone                   // one for the first who asked, and for nobody else
	theirs                  // the same, for what they showed
	failed                  // none, or one about the storefront and not about the target
	again                   // nothing: somebody else had brought it meanwhile
)

// flight is one fetch, for the one who asked first and for who asks meanwhile, the
// riders.
type flight struct {
	cache *Cache
	name  string // among the flights under way; "" is on its own
	key   string
	q     question
	in    http.Header // of the request, by which the answer is chosen
	had   *answer     // to be validated; nil: nothing
	sure  bool        // the target's answers could be kept so far
	begun time.Time
	end   context.CancelCauseFunc

	landed chan struct{} // closed when the following is set
	what   landing
	answer *answer        // of renewed; of spooling without its body
	shared bool           // riders may use it, too
	resp   *http.Response // of all but again, and but renewed: for the first
	spool  *spool
	whole  *answer // of spooling, once the spool has ended well
	err    error   // of failed, when there is no resp

	reserved int64 // bytes; the fetch's own

	mu     sync.Mutex
	aboard int     // who waits or reads
	first  bool    // who asked first is among them
	rest   *lonely // what they alone may read; set by the fetch
}

// flightName tells the flights for one key apart that bring answers chosen by other
// values.
func flightName(key string, vary []selector, h http.Header) string {
	for _, s := range vary {
		key += "\x00" + s.name + "\x00" + normal(s.name, h[s.name])
	}
	return key
}

// board is the flight of a name, a new one if none is under way. What it is for is
// set by who leads.
func (c *Cache) board(name, key string) (f *flight, leads bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f = c.flights[name]; f != nil && name != "" {
		f.mu.Lock()
		f.aboard++
		f.mu.Unlock()
		return f, false
	}
	f = &flight{cache: c, name: name, key: key, begun: time.Now(), landed: make(chan struct{}), aboard: 1, first: true}
	if name != "" {
		c.flights[name] = f
	}
	return f, true
}

// flying reports whether a flight is under way.
func (c *Cache) flying(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.flights[name] != nil
}

// off takes a flight off the list: who comes now needs another.
func (f *flight) off() {
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	if f.cache.flights[f.name] == f {
		delete(f.cache.flights, f.name)
	}
}

// leave is for who no longer waits or reads. The last one ends a fetch that may be
// for nobody else; another goes on for a while.
func (f *flight) leave(first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.aboard--
	if first {
		f.first = false
		if f.rest != nil {
			_ = f.rest.Close()
		}
	}
	switch {
	case f.aboard > 0:
	case f.sure:
		time.AfterFunc(aloneFor, f.endIfEmpty)
	default:
		f.end(errNobody)
	}
}

func (f *flight) endIfEmpty() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.aboard == 0 {
		f.end(errNobody)
	}
}

// take begins the fetch for a request, in the background; the request may end
// before it.
func (f *flight) take(next http.RoundTripper, req *http.Request, q question, had *answer, sure bool) {
	f.q, f.in, f.had, f.sure = q, req.Header.Clone(), had, sure
	ctx, end := context.WithCancelCause(context.WithoutCancel(req.Context()))
	f.end = end
	out := req.Clone(ctx)
	out.Method = http.MethodGet
	removeConditions(out.Header)
	if had != nil {
		had.validate(out.Header)
	}
	f.cache.fly(func() {
		f.fly(next, out)
		if f.rest == nil {
			end(nil)
		}
	})
}

// endsWith ends the fetch when a client leaves for whom alone it goes on. stop takes
// that back.
func (f *flight) endsWith(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { f.end(context.Cause(ctx)) })
}

// land tells everybody what came.
func (f *flight) land(what landing) {
	f.what = what
	if what != spooling {
		f.off()
	}
	close(f.landed)
}

// handOver gives the answer to who asked first, with all that is still to come.
func (f *flight) handOver(what landing) {
	if f.resp != nil {
		f.leaveRest(func() {})
	}
	f.land(what)
}

// leaveRest makes the body of the answer one for who asked first alone; with it the
// fetch ends. If they have left, that is now.
func (f *flight) leaveRest(then func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rest = &lonely{ReadCloser: f.resp.Body, then: func() { f.end(nil); then() }}
	if !f.first {
		_ = f.rest.Close()
	}
}

// lonely is the body of an answer for one client.
type lonely struct {
	io.ReadCloser
	once sync.Once
	then func()
}

func (l *lonely) Close() (err error) {
	l.once.Do(func() {
		err = l.ReadCloser.Close()
		l.then()
	})
	return err
}

package cache

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// emptyFor is how long a fetch goes on that nobody waits for any more.
const emptyFor = 30 * time.Second

// errNobody ends a fetch that nobody waits for.
var errNobody = errors.New("nobody waits for this answer")

// landing is what a flight brought.
type landing int

const (
	renewed  landing = iota // what was kept is still good
	spooling                // an answer that can be kept, as it comes
	alone                   // one for the first who asked, and for nobody else
	theirs                  // the same, for what they showed
	refused                 // the same, and nothing is known about what others would get
	failed                  // none, or one about the origin and not about the target
)

// errand is what a flight is sent for.
type errand struct {
	name string     // among the flights under way; "" is on its own
	q    question   // of who sends it
	fwd  string     // why the origin is asked
	had  *answer    // to be validated; nil: nothing
	vary []selector // that the target's answers are chosen by; nil: not known
	sure bool       // the target's answers could be kept so far
	bare bool       // it is asked for nobody in particular
}

// flight is one fetch, for the one who asked first and for who asks meanwhile, the
// riders.
type flight struct {
	errand
	cache    *Cache
	in       http.Header   // of the request, by which the answer is chosen
	out      *http.Request // as it goes to the origin; it may outlast the one that it is for
	end      context.CancelCauseFunc
	begun    time.Time
	relieves *flight     // which took so long that this one began; nil: none
	still    atomic.Bool // its body stands still

	landed chan struct{} // closed when the following is set
	what   landing
	answer *answer        // of renewed; of spooling without its body
	shared bool           // riders may use it, too
	resp   *http.Response // of all but renewed: for the first
	why    string         // it is not kept
	spool  *spool
	whole  *answer // of spooling, once the spool has ended well
	err    error   // of failed, when there is no resp

	reserved int64 // bytes; the fetch's own

	mu     sync.Mutex
	aboard int     // who waits or reads
	first  bool    // who asked first is among them
	rest   *ending // what they alone may read; set by the fetch
}

// newFlight makes a flight that begins with a request; who makes it runs it.
func newFlight(c *Cache, e errand, req *http.Request, relieves *flight) *flight {
	ctx, end := context.WithCancelCause(context.WithoutCancel(req.Context()))
	if e.sure {
		ctx = context.WithValue(ctx, forMany{}, true)
	}
	out := req.Clone(ctx)
	out.Method = http.MethodGet
	if e.bare {
		out.Header = c.bareHeader(out.Header, e.vary)
		e.q = question{key: e.q.key, d: parseDirectives(nil)}
	}
	in := out.Header.Clone()
	removeConditions(out.Header)
	if e.had != nil {
		e.had.validate(out.Header)
	}
	return &flight{
		errand: e, cache: c, in: in, out: out, end: end, relieves: relieves,
		begun: time.Now(), landed: make(chan struct{}), aboard: 1, first: true,
	}
}

// flightName tells the flights for one key apart that bring answers chosen by other
// values.
func flightName(key string, vary []selector, h http.Header) string {
	for _, s := range vary {
		key += "\x00" + s.name + "\x00" + normal(s.name, h[s.name])
	}
	return key
}

// board takes a request onto the flight of its errand, and begins one if none is
// under way, or if the one that is, slow, may be relieved: so that the origin has
// never more than two of them at once. Without a flight the answer was brought
// between look and boarding.
func (t *transport) board(r *http.Request, e errand, slow *flight) (f *flight, leads bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f = t.flights[e.name]
	if f != nil && e.name != "" && (f != slow && !f.still.Load() || !f.mayBeRelieved()) {
		f.mu.Lock()
		f.aboard++
		f.mu.Unlock()
		return f, false
	}
	if a, _ := t.kept(r, e.q); a != nil && a.fresh(time.Now()) {
		return nil, false
	}
	f = newFlight(t.Cache, e, r, f)
	if e.name != "" {
		t.flights[e.name] = f
	}
	t.run(func() { f.fly(t.next) })
	return f, true
}

// mayBeRelieved reports whether no other one is under way for the same. The cache
// is locked.
func (f *flight) mayBeRelieved() bool {
	if f.relieves != nil && !f.relieves.isUnderWay() {
		f.relieves = nil
	}
	return f.relieves == nil
}

// isUnderWay reports whether the origin still works for more than one client.
func (f *flight) isUnderWay() bool {
	select {
	case <-f.landed:
		return f.what == spooling && !f.spool.isOver()
	default:
		return true
	}
}

// flying reports whether a flight is under way that need not be relieved.
func (c *Cache) flying(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.flights[name]
	return f != nil && !(f.still.Load() && f.mayBeRelieved())
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
	case f.out.Context().Err() != nil: // it has ended
	case f.sure:
		// The timer knows the flight, and with it what it brought: it goes with its end.
		late := time.AfterFunc(emptyFor, f.endIfEmpty)
		context.AfterFunc(f.out.Context(), func() { late.Stop() })
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
		f.leaveRest()
	}
	f.land(what)
}

// leaveRest makes the body of the answer one for who asked first alone; with it the
// fetch ends. If they have left, that is now.
func (f *flight) leaveRest() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rest = newEnding(f.resp.Body, func() { f.end(nil) })
	if !f.first {
		_ = f.rest.Close()
	}
}

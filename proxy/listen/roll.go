package listen

import (
	"container/list"
	"maps"
	"slices"
	"sync"
	"time"
)

// standing is where a connection stands in the roll.
type standing struct {
	on    bool
	list  *list.List // nil: it is busy
	at    *list.Element
	since time.Time // on that list
}

// roll knows all connections of a program, and those that may go when there are
// too many: who has dawdled longest over the handshake; who is closed and lingers;
// and who has been idle longest. One that is being served never goes.
type roll struct {
	most      int // connections
	mostHands int // of them in the handshake

	mu     sync.Mutex
	all    map[*conn]bool
	hands  list.List // *conn in PROXY header and handshake, oldest first
	idle   list.List // *conn that wait for a request, oldest first
	linger list.List // *conn that are closed and not gone, oldest first
}

func newRoll(most int) *roll {
	return &roll{most: most, mostHands: most / 2, all: map[*conn]bool{}}
}

// enter takes a connection in. Somebody may have to go for it; where there is
// nobody who can, it is refused.
func (r *roll) enter(c *conn) bool {
	r.mu.Lock()
	var out *conn
	full := false
	switch {
	case r.hands.Len() >= r.mostHands:
		out = oldest(&r.hands)
	case len(r.all) >= r.most:
		out = r.dispensable()
		full = out == nil
	}
	if !full {
		if out != nil {
			r.strike(out) // before another one comes in its place, too
		}
		c.standing.on = true
		r.all[c] = true
		r.put(c, &r.hands)
	}
	r.mu.Unlock()
	if out != nil {
		out.cut()
	}
	return !full
}

// dispensable is who goes where there is no room; nil: nobody.
func (r *roll) dispensable() *conn {
	if c := oldest(&r.linger); c != nil {
		return c
	}
	return oldest(&r.idle)
}

func oldest(l *list.List) *conn {
	if l.Len() == 0 {
		return nil
	}
	c, _ := l.Front().Value.(*conn)
	return c
}

// put moves a connection to the end of a list; nil is none.
func (r *roll) put(c *conn, l *list.List) {
	if c.standing.list != nil {
		c.standing.list.Remove(c.standing.at)
	}
	c.standing.list = l
	if l != nil {
		c.standing.at, c.standing.since = l.PushBack(c), time.Now()
	}
}

// busy says that a connection is being served, or is not.
func (r *roll) busy(c *conn, so bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !c.standing.on, c.standing.list == &r.linger:
	case so:
		r.put(c, nil)
	default:
		r.put(c, &r.idle)
	}
}

// closed says that a connection only lingers from now on.
func (r *roll) closed(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.standing.on {
		r.put(c, &r.linger)
	}
}

// leave takes a connection out.
func (r *roll) leave(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.strike(c)
}

func (r *roll) strike(c *conn) {
	if c.standing.on {
		c.standing.on = false
		r.put(c, nil)
		delete(r.all, c)
	}
}

// makeRoom lets one go, for the system has no room left.
func (r *roll) makeRoom() {
	r.mu.Lock()
	out := r.dispensable()
	r.mu.Unlock()
	if out != nil {
		out.cut()
	}
}

// left says how many there are, and how many of them in the handshake.
func (r *roll) left() (all, hands int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.all), r.hands.Len()
}

// waiting is how many are in the handshake or idle.
func (r *roll) waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hands.Len() + r.idle.Len()
}

// dismiss closes those that have been idle since before an instant, but for whose
// request has come and is not read yet: a machine that is busy takes its time.
func (r *roll) dismiss(before time.Time) {
	for _, c := range r.idleSince(before) {
		if !c.waits() {
			_ = c.Close()
		}
	}
}

func (r *roll) idleSince(before time.Time) (found []*conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for e := r.idle.Front(); e != nil; e = e.Next() {
		c, _ := e.Value.(*conn)
		if !c.standing.since.Before(before) {
			break
		}
		found = append(found, c)
	}
	return found
}

// cutAll cuts whoever is left, and says how many those were.
func (r *roll) cutAll() int {
	r.mu.Lock()
	left := slices.Collect(maps.Keys(r.all))
	r.mu.Unlock()
	for _, c := range left {
		c.cut()
	}
	return len(left)
}

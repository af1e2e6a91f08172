package listen

import (
	"container/list"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// part is what a connection does that may have to go for another one.
type part int

const (
	none   part = iota // it is being served, and never goes
	hands              // in PROXY header and handshake
	idle               // waits for a request
	linger             // closed and not gone
	parts
)

// standing is where a connection stands in the roll.
type standing struct {
	on      bool
	in      part
	since   time.Time     // in it
	at, own *list.Element // in the list of all, and in that of its address
}

// lists are *conn by what they do, oldest first. Those that are served are in none. Those
// that are idle stand as they came, or were found to be less idle than that: nearly in
// the order of since, for to look for the very place would cost more than it is worth.
type lists [parts]list.List

// oldest is the one that does something longest; nil: there is none.
func (l *lists) oldest(in part) *conn {
	if l[in].Len() == 0 {
		return nil
	}
	return l[in].Front().Value.(*conn) //nolint:errcheck // they all are
}

// settle puts those behind that were not as idle as the roll believes, until the one in
// front is: then it is one of those that have been idle longest.
func (r *roll) settle(l *lists) {
	for range l[idle].Len() {
		c := l.oldest(idle)
		at := c.awake()
		if !at.After(c.standing.since) {
			return
		}
		r.put(c, idle)
		c.standing.since = at
	}
}

// dispensable is who goes where there is no room; nil: nobody.
func (l *lists) dispensable() *conn {
	if c := l.oldest(linger); c != nil {
		return c
	}
	return l.oldest(idle)
}

// group is some connections of which no more than so many may be there.
type group struct {
	n        int
	requests int // that are being answered over HTTP/2
	lists
}

// room is who goes for one more, and for which bound; nobody for a bound: there is no
// room.
func (g *group) room(most, mostHands int, all, inHands reason) (out *conn, why reason) {
	switch {
	case g.lists[hands].Len() >= mostHands:
		return g.oldest(hands), inHands
	case g.n >= most:
		return g.dispensable(), all
	}
	return nil, ""
}

// roll knows all connections of a program, and those that may go when there are
// too many: who has dawdled longest over the handshake; who is closed and lingers;
// and who has been idle longest, or nearly so. One that is being served never goes. One address may
// have fewer, of which then one of its own goes.
type roll struct {
	most bounds

	mu  sync.Mutex
	all map[*conn]bool
	group
	callers map[netip.Prefix]*group
}

func newRoll(most bounds) *roll {
	return &roll{most: most, all: map[*conn]bool{}, callers: map[netip.Prefix]*group{}}
}

// enter takes a connection in. Somebody may have to go for it; where there is
// nobody who can, it is refused. why is the bound for which somebody goes.
func (r *roll) enter(c *conn) (in bool, why reason) {
	r.mu.Lock()
	out, why := r.roomOf(c.from)
	if r.n >= r.most.all {
		r.settle(&r.lists)
	}
	if why == "" {
		out, why = r.room(r.most.all, r.most.hands, tooMany, tooManyHands)
	}
	if in = why == "" || out != nil; in {
		r.strike(out) // before another one comes in its place, too
		c.standing.on = true
		r.all[c] = true
		r.count(c, 1)
		r.put(c, hands)
	}
	r.mu.Unlock()
	if out != nil {
		out.cut()
	}
	return in, why
}

// name says whose a connection is that is in already, for which it is counted from now
// on, as by enter.
func (r *roll) name(c *conn, from netip.Prefix) (in bool, why reason) {
	var out *conn
	r.mu.Lock()
	if in = c.standing.on; in {
		out, why = r.roomOf(from)
		in = why == "" || out != nil
	}
	if in {
		r.strike(out)
		at := c.standing.in
		r.put(c, none)
		c.from = from
		r.countOf(from, 1)
		r.put(c, at)
	}
	r.mu.Unlock()
	if out != nil {
		out.cut()
	}
	return in, why
}

func (r *roll) roomOf(from netip.Prefix) (out *conn, why reason) {
	if caller := r.callers[from]; caller != nil {
		if caller.n >= r.most.ofOne {
			r.settle(&caller.lists)
		}
		return caller.room(r.most.ofOne, r.most.handsOfOne, tooManyOfOne, tooManyHandsOfOne)
	}
	return nil, ""
}

// put says what a connection does from now on.
func (r *roll) put(c *conn, in part) {
	caller := r.callers[c.from]
	if at := &c.standing; at.in != none {
		r.lists[at.in].Remove(at.at)
		if caller != nil {
			caller.lists[at.in].Remove(at.own)
		}
	}
	c.standing.in = in
	if in == none {
		return
	}
	c.standing.since = time.Now()
	c.standing.at = r.lists[in].PushBack(c)
	if caller != nil {
		c.standing.own = caller.lists[in].PushBack(c)
	}
}

// busy says that a connection is being served, or is not.
func (r *roll) busy(c *conn, so bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !c.standing.on, c.standing.in == linger:
	case so:
		r.put(c, none)
	default:
		r.put(c, idle)
	}
}

// closed says that a connection only lingers from now on.
func (r *roll) closed(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.standing.on {
		r.put(c, linger)
	}
}

// leave takes a connection out.
func (r *roll) leave(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.strike(c)
}

// strike takes one out; nil is none.
func (r *roll) strike(c *conn) {
	if c != nil && c.standing.on {
		r.put(c, none)
		c.standing.on = false
		r.count(c, -1)
		delete(r.all, c)
	}
}

// count counts a connection that comes or goes.
func (r *roll) count(c *conn, by int) {
	r.n += by
	r.countOf(c.from, by)
}

// countOf counts one of an address, which is known while it has any, or requests.
func (r *roll) countOf(from netip.Prefix, by int) {
	if !from.IsValid() {
		return
	}
	caller := r.callers[from]
	if caller == nil {
		caller = &group{}
		r.callers[from] = caller
	}
	caller.n += by
	r.forget(from)
}

func (r *roll) forget(from netip.Prefix) {
	if caller := r.callers[from]; caller != nil && caller.n == 0 && caller.requests == 0 {
		delete(r.callers, from)
	}
}

// begin counts a request that begins, unless there are as many as may be.
func (r *roll) begin(c *conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	caller := r.callers[c.from] // nil: it counts for nobody, or is gone
	if r.requests >= r.most.requests || caller != nil && caller.requests >= r.most.requestsOfOne {
		return false
	}
	r.requests++
	if caller != nil {
		caller.requests++
	}
	return true
}

// end counts one that has ended, perhaps after its connection.
func (r *roll) end(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests--
	if caller := r.callers[c.from]; caller != nil {
		caller.requests = max(0, caller.requests-1)
		r.forget(c.from)
	}
}

// makeRoom lets one go, for the system has no room left.
func (r *roll) makeRoom() {
	r.mu.Lock()
	r.settle(&r.lists)
	out := r.dispensable()
	r.mu.Unlock()
	if out != nil {
		out.cut()
	}
}

// left says how many there are, and how many of them in the handshake.
func (r *roll) left() (all, shaking int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n, r.lists[hands].Len()
}

// counts says how many there are of each part.
func (r *roll) counts() (of [parts]int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of[none] = r.n
	for in := hands; in < parts; in++ {
		of[in] = r.lists[in].Len()
		of[none] -= of[in]
	}
	return of
}

// waiting is how many are in the handshake or idle.
func (r *roll) waiting() int {
	of := r.counts()
	return of[hands] + of[idle]
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
	r.settle(&r.lists)
	for e := r.lists[idle].Front(); e != nil; e = e.Next() {
		c, _ := e.Value.(*conn)
		if c.standing.since.Before(before) && c.awake().Before(before) {
			found = append(found, c)
		}
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

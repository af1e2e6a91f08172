package cache

import (
	"context"
	"strings"
	"sync"
	"time"
	"weak"
)

const (
	// mostObject is the most that one answer may be kept with: what a shop shows,
	// not what it has downloaded. share is the part of the bound that one may take at
	// most, so that no single one turns out all others.
	mostObject = 8 << 20
	share      = 8

	// packQueue is how many answers wait to be packed: a page with its assets.
	packQueue = 64
)

// Outcome is what became of a request. There are these and no others.
type Outcome string

// The outcomes.
const (
	Hit       Outcome = "hit"       // answered from what was kept
	Stale     Outcome = "stale"     // answered from what was kept, beyond its lifetime
	Renewed   Outcome = "renewed"   // answered from what was kept, which the origin said is still good
	Joined    Outcome = "joined"    // answered by what another request had fetched
	Miss      Outcome = "miss"      // fetched, and kept
	Forwarded Outcome = "forwarded" // fetched for this client alone
)

// Outcomes are all there are.
var Outcomes = []Outcome{Hit, Stale, Renewed, Joined, Miss, Forwarded}

// Cache keeps answers of one origin.
type Cache struct {
	own     string
	count   func(Outcome)
	store   store
	notes   *notes
	mu      sync.Mutex
	flights map[string]*flight // by key and selectors
	work    sync.WaitGroup     // fetches under way; Run waits for them
	ended   bool               // Run did; what is begun later ends with who waits for it, or emptyFor after
	packs   chan packing
	lent    lent
}

// packing is an answer that shall be packed, if it is still there when its turn comes.
type packing struct {
	key    string // "" belongs to a page
	answer weak.Pointer[answer]
	page   *Page
}

// New makes a cache that keeps at most size bytes; with 0 it keeps nothing but
// pages. Fields of requests that begin with own, in their canonical form, say
// something of one client, as a cookie does, and fields of answers that do are
// meant for the proxy alone. count is told what became of each request
// that gets an answer, but for those that want nothing that is not kept; with a size
// of 0 it is told of pages alone.
func New(size int64, own string, count func(Outcome)) *Cache {
	return &Cache{
		own: own, count: count, notes: newNotes(),
		store:   store{most: size, targets: map[string]*target{}},
		flights: map[string]*flight{}, packs: make(chan packing, packQueue),
	}
}

// Run packs what is asked for often, until ctx is done. Then what is fetched for
// nobody ends, and Run waits for what somebody waits for.
func (c *Cache) Run(ctx context.Context) {
	defer c.work.Wait()
	defer c.endEmpty()
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-c.packs:
			c.pack(p)
		}
	}
}

// run runs a fetch. The cache is locked.
func (c *Cache) run(fetch func()) {
	if c.ended {
		go fetch()
		return
	}
	c.work.Go(fetch)
}

// endEmpty ends what is fetched for nobody.
func (c *Cache) endEmpty() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for _, f := range c.flights {
		f.endIfEmpty()
	}
}

// Resize changes how many bytes are kept at most; what is too much goes at once.
func (c *Cache) Resize(size int64) { c.store.resize(size) }

// Held is how many bytes are kept, and on their way.
func (c *Cache) Held() int64 { return c.store.bytes() }

// Purge lets go of what is kept of every target whose path begins with prefix, of
// whatever host, and of all with "", and says how many there were. What is on its
// way is not kept either. Pages are the caller's.
func (c *Cache) Purge(prefix string, now time.Time) int {
	return c.remove(now, func(key string) bool { return strings.HasPrefix(targetOf(key), prefix) })
}

// PurgePath lets go of one path, whatever its query, and says how many targets it had.
func (c *Cache) PurgePath(path string, now time.Time) int {
	return c.remove(now, func(key string) bool {
		is, _, _ := strings.Cut(targetOf(key), "?")
		return is == path
	})
}

func (c *Cache) remove(now time.Time, which func(key string) bool) int {
	c.notes.changedAll(now)
	c.ground(which)
	return c.store.remove(which)
}

// ground takes flights off the list, so that nobody joins them who asks from now
// on.
func (c *Cache) ground(which func(key string) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, f := range c.flights {
		if which(f.q.key) {
			delete(c.flights, name)
		}
	}
}

// most is what one answer may be.
func (c *Cache) most() int64 { return min(mostObject, c.size()/share) }

func (c *Cache) size() int64 {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	return c.store.most
}

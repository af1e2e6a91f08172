package cache

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	// mostObject is the most that one answer may be kept with, a share of the whole
	// bound at most.
	mostObject = 8 << 20
	share      = 8

	packQueue = 64
)

// Outcome is what became of a request. There are these and no others.
type Outcome string

// The outcomes.
const (
	Hit     Outcome = "hit"     // answered from what was kept
	Stale   Outcome = "stale"   // answered from what was kept, beyond its lifetime
	Renewed Outcome = "renewed" // answered from what was kept, which the storefront said is still good
	Joined  Outcome = "joined"  // answered by what another request had fetched
	Miss    Outcome = "miss"    // fetched, and kept
	Pass    Outcome = "pass"    // fetched for this client alone
)

// Outcomes are all there are.
var Outcomes = []Outcome{Hit, Stale, Renewed, Joined, Miss, Pass}

// Cache keeps answers of one storefront.
type Cache struct {
	own     string
	count   func(Outcome)
	store   store
	notes   *notes
	mu      sync.Mutex
	flights map[string]*flight // by key and selectors
	work    sync.WaitGroup     // fetches under way; Run waits for them
	ended   bool               // Run did; what is begun later ends by itself, in bounded time
	orders  chan order
}

// order is an answer that shall be packed.
type order struct {
	key    string // "" belongs to a page
	answer *answer
	page   *Page
}

// New makes a cache that keeps at most size bytes; with 0 it keeps nothing but
// pages. Fields of requests that begin with own, in their canonical form, say
// something of one client, as a cookie does, and fields of answers that do are
// meant for the proxy alone. count is told of every request.
func New(size int64, own string, count func(Outcome)) *Cache {
	return &Cache{
		own: own, count: count, notes: newNotes(),
		store:   store{most: size, targets: map[string]*target{}},
		flights: map[string]*flight{}, orders: make(chan order, packQueue),
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
		case o := <-c.orders:
			c.pack(o)
		}
	}
}

// fly runs a fetch.
func (c *Cache) fly(fetch func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
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
// whatever host, and of all with "". What is on its way is not kept either. It
// reports how many targets went. Pages are the caller's.
func (c *Cache) Purge(prefix string, now time.Time) int {
	return c.remove(now, func(key string) bool { return strings.HasPrefix(targetOf(key), prefix) })
}

// PurgePath lets go of one path, whatever its query.
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
		if which(f.key) {
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

// changed lets go of what an unsafe request may have changed, once it has
// succeeded (RFC 9111, 4.4): its own target, and those of the same host that the
// answer names.
func (c *Cache) changed(r *http.Request, resp *http.Response, now time.Time) {
	if resp.StatusCode < 200 || resp.StatusCode >= 400 {
		return
	}
	own := keyOf(r)
	for _, target := range append([]string{targetOf(own)}, namedTargets(r, resp)...) {
		key := targetKey(own, target)
		c.notes.write(key, func(n *note) { n.changed = now })
		c.store.forget(key)
		c.ground(func(other string) bool { return other == key })
	}
}

func namedTargets(r *http.Request, resp *http.Response) (targets []string) {
	base := &url.URL{Scheme: "https", Host: r.Host, Opaque: "", Path: r.URL.Path, RawPath: r.URL.RawPath}
	if opaque := r.URL.Opaque; opaque != "" {
		if u, err := url.ParseRequestURI(opaque); err == nil {
			base.Path, base.RawPath = u.Path, u.RawPath
		}
	}
	for _, name := range []string{"Location", "Content-Location"} {
		value := resp.Header.Get(name)
		if value == "" {
			continue
		}
		if u, err := base.Parse(value); err == nil && foldHost(u.Host) == foldHost(r.Host) {
			targets = append(targets, u.RequestURI())
		}
	}
	return targets
}

package cache

import (
	"hash/maphash"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	mostNotes = 16 << 10
	// aloneFor is how long a target whose answers cannot be kept is asked for
	// without anybody waiting to see whether the next one can; each such answer
	// renews it.
	aloneFor = 2 * time.Minute
	// bareFor is how long a target whose answers can be kept is asked for with
	// nothing that one client alone says, after a request of one came to nothing.
	bareFor = time.Minute
)

// note is what is remembered of a target, whatever is kept of it.
type note struct {
	aloneUntil  time.Time // its answers cannot be kept; once it has passed: the last one could not
	theirsUntil time.Time // those to who shows something of their own cannot
	sure        bool      // they could once
	changed     time.Time // what was asked for before may be old
	failed      time.Time // when the origin last had no answer
	bareUntil   time.Time // one client's request came to nothing: it is asked for nobody in particular
}

// isUnknown reports whether nothing tells if the answer to a question can be kept.
func (n note) isUnknown(q question) bool {
	return !n.sure && n.aloneUntil.IsZero() && (n.theirsUntil.IsZero() || !q.holder && !q.authorized)
}

// notes are remembered by hash, in bounded memory. A note that is forgotten or
// mistaken for another's costs a question at the origin and nothing else; that
// something has changed is never forgotten.
type notes struct {
	seed maphash.Seed
	mu   sync.Mutex
	kept *lru.Cache[uint64, note]
	// floor is when the latest change was that is forgotten by name: it counts for
	// every target.
	floor time.Time
}

func newNotes() *notes {
	n := &notes{seed: maphash.MakeSeed()}
	n.kept, _ = lru.NewWithEvict(mostNotes, func(_ uint64, old note) { // only a bound of 0 fails
		if old.changed.After(n.floor) {
			n.floor = old.changed
		}
	})
	return n
}

func (n *notes) of(key string) note {
	n.mu.Lock()
	defer n.mu.Unlock()
	got, _ := n.kept.Get(maphash.String(n.seed, key))
	if n.floor.After(got.changed) {
		got.changed = n.floor
	}
	return got
}

// write changes the note of a target.
func (n *notes) write(key string, change func(*note)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	hash := maphash.String(n.seed, key)
	got, _ := n.kept.Get(hash)
	change(&got)
	n.kept.Add(hash, got)
}

// changedAll notes that everything that was asked for before now may be old.
func (n *notes) changedAll(now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.floor = now
}

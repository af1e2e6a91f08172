package proxy

import (
	"context"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/waitroom/waitroom/gate"
)

const (
	maxHolders = 1 << 16
	// learnWait is how long one who might have something waits, when the last unit
	// has just gone, until this edge knows who has: a tick's time, as a rule.
	learnWait = time.Second
	// learnAgain is the least time between two lists of the same sale, and how old
	// one gets while those who have something change.
	learnAgain = time.Second
)

// holders remembers who got units, so that a no from memory is a no to somebody
// who has nothing, and who has something is led back to it. Who got units here is
// known at once; who did so through other edges, while nothing is left, from a
// list that the ticker reads: then it is the same for everybody, and refusing
// costs no call. Beyond maxHolders units out there is no list, and whoever has a
// pass is sent to the gate.
type holders struct {
	here *lru.Cache[string, gate.Mark] // tickets that got units through this edge, and when

	mu   sync.Mutex
	list *list         // nil: units are left, or it is not read yet
	read chan struct{} // closed while there is a list
}

// list is everybody who has units at a mark. It never changes.
type list struct {
	mark   gate.Mark
	taken  time.Time
	known  bool // false: they are too many
	owners map[string]gate.Holder
}

func newHolders() *holders {
	here, _ := lru.New[string, gate.Mark](maxHolders) // only sizes below one fail
	return &holders{here: here, read: make(chan struct{})}
}

// add remembers who got units through this edge, at a mark.
func (h *holders) add(device string, at gate.Mark) { h.here.Add(device, at) }

// has reports whether a shopper got units through this edge.
func (h *holders) has(s shopper) bool {
	device := s.device()
	return device != "" && h.here.Contains(device)
}

// find is what a shopper has, as the list says. known is false when that cannot be
// said: there is no list, or the shopper got units here since it was read. When
// there may be one in a moment it waits for it.
func (h *holders) find(ctx context.Context, s shopper) (has gate.Holder, ok, known bool) {
	l := h.wait(ctx)
	if l == nil || !l.known {
		return has, false, false
	}
	if has, ok = l.owners["account "+s.account]; !ok {
		has, ok = l.owners["ticket "+s.device()]
	}
	at, here := h.here.Peek(s.device())
	return has, ok, ok || !here || !l.mark.Before(at)
}

func (h *holders) wait(ctx context.Context) *list {
	h.mu.Lock()
	l, read := h.list, h.read
	h.mu.Unlock()
	if l != nil {
		return l
	}
	late := time.NewTimer(learnWait)
	defer late.Stop()
	select {
	case <-read:
	case <-late.C:
	case <-ctx.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.list
}

// learn reads the list, if there is nothing left at a look and it is not read
// yet, or an old one. It forgets it when units are back.
func (h *holders) learn(ctx context.Context, g *gate.Gate, look gate.Snapshot) error {
	if !look.Open() || look.Offered() > 0 {
		h.put(nil)
		return nil
	}
	h.mu.Lock()
	had := h.list
	h.mu.Unlock()
	if had != nil && (had.mark == look.Mark || time.Since(had.taken) < learnAgain) {
		return nil
	}
	all, known, err := g.Holders(ctx, maxHolders)
	if err != nil {
		return err
	}
	l := &list{mark: look.Mark, taken: time.Now(), known: known, owners: make(map[string]gate.Holder, 2*len(all))}
	for _, one := range all {
		l.owners["account "+one.Account], l.owners["ticket "+one.Ticket] = one, one
	}
	h.put(l)
	return nil
}

// put replaces the list; nil takes it away.
func (h *holders) put(l *list) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case l != nil && h.list == nil:
		close(h.read)
	case l == nil && h.list != nil:
		h.read = make(chan struct{})
	}
	h.list = l
}

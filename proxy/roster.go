package proxy

import (
	"context"
	"sync"
	"time"

	"github.com/waitroom/waitroom/gate"
)

const (
	// rosterWait is how long one who might have something waits, when the last unit
	// has just gone, until this edge knows who has: a tick's time, as a rule.
	rosterWait = time.Second
	// rosterAgain is the least time between two lists of the same sale, and how old
	// one gets while those who have something change.
	rosterAgain = time.Second
)

// roster is the list of everybody who has units, which the ticker reads while
// nothing is left: then it is the same for everybody, and refusing costs no call.
type roster struct {
	mu   sync.Mutex
	list *list         // nil: units are left, or it is not read yet
	read chan struct{} // closed while there is a list
}

// list is everybody who has units at a mark. It never changes.
type list struct {
	mark      gate.Mark
	taken     time.Time
	known     bool // false: they are too many
	byAccount map[string]*gate.Holder
	byTicket  map[string]*gate.Holder
}

func newList(all []gate.Holder, known bool, mark gate.Mark) *list {
	l := &list{
		mark: mark, taken: time.Now(), known: known,
		byAccount: make(map[string]*gate.Holder, len(all)), byTicket: make(map[string]*gate.Holder, len(all)),
	}
	for i := range all {
		l.byAccount[all[i].Account], l.byTicket[all[i].Ticket] = &all[i], &all[i]
	}
	return l
}

// of is what a shopper has; nil: nothing.
func (l *list) of(s *shopper) *gate.Holder {
	if one := l.byAccount[s.account]; one != nil {
		return one
	}
	return l.byTicket[s.device()]
}

// wait returns the list, and waits for it where there may be one in a moment; nil:
// there is none.
func (r *roster) wait(ctx context.Context) *list {
	l, read := r.get()
	if l != nil {
		return l
	}
	late := time.NewTimer(rosterWait)
	defer late.Stop()
	select {
	case <-read:
	case <-late.C:
	case <-ctx.Done():
	}
	l, _ = r.get()
	return l
}

// learn reads the list, if there is nothing left at a look and it is not read
// yet, or an old one. It forgets it when units are back.
func (r *roster) learn(ctx context.Context, g *gate.Gate, look gate.Snapshot) error {
	if !look.Open() || look.Offered() > 0 {
		r.put(nil)
		return nil
	}
	if had, _ := r.get(); had != nil && (had.mark == look.Mark || time.Since(had.taken) < rosterAgain) {
		return nil
	}
	all, known, err := g.Holders(ctx, maxHolders)
	if err != nil {
		return err
	}
	r.put(newList(all, known, look.Mark))
	return nil
}

func (r *roster) get() (*list, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list, r.read
}

// put replaces the list; nil takes it away.
func (r *roster) put(l *list) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case l != nil && r.list == nil:
		close(r.read)
	case l == nil && r.list != nil:
		r.read = make(chan struct{})
	}
	r.list = l
}

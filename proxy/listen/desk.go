package listen

import (
	"container/list"
	"context"
	"net/netip"
	"sync"
	"time"
)

const (
	mostWaiting = 4096            // handshakes that wait for a seat
	seatWait    = 5 * time.Second // for one of them; whoever sees nothing for longer has left
)

// A desk is where handshakes are worked at, as many at once as there are seats, which
// are half as many as cores: the other half is for those who are in already. The work is
// signing and agreeing on keys, up to a millisecond or two of a core; without a bound a
// few thousand at once take all of them.
//
// Seats go in turn to the one that came last, of those whose address has nothing else
// at the desk, and to the one that has waited longest. So a flood from a few addresses
// costs others nothing; in one from many the newest are served while they still
// want it, and nobody is passed over for ever.
type desk struct {
	mu     sync.Mutex
	free   int                  // seats
	at     map[netip.Prefix]int // waiting or seated, by address
	all    list.List            // *waiter, first come first
	alone  list.List            // *waiter, those who came when nobody of their address was here
	newest bool                 // gets the next seat
}

// waiter is a handshake that waits.
type waiter struct {
	from  netip.Prefix
	seat  chan bool // true: it has one; false: it goes, for there are too many
	all   *list.Element
	alone *list.Element // nil: others of its address were here
	told  bool          // which of the two
}

func newDesk(seats int) *desk { return &desk{free: seats, at: map[netip.Prefix]int{}} }

// sit waits for a seat, unless it is free; after an error, a reason or that of ctx, there
// is none. It has to be given back by rise.
func (d *desk) sit(ctx context.Context, from netip.Prefix) (waited bool, err error) {
	d.mu.Lock()
	if d.free > 0 {
		d.free--
		d.at[from]++
		d.mu.Unlock()
		return false, nil
	}
	w := d.wait(from)
	d.mu.Unlock()
	late := time.NewTimer(seatWait)
	defer late.Stop()
	select {
	case seated := <-w.seat:
		return true, unless(seated, tooManyWait)
	case <-late.C:
		return true, unless(!d.giveUp(w), tooLate)
	case <-ctx.Done():
		return true, unless(!d.giveUp(w), context.Cause(ctx))
	}
}

func unless(so bool, err error) error {
	if so {
		return nil
	}
	return err
}

// wait lets one wait; where there are too many, the one goes that has waited longest.
func (d *desk) wait(from netip.Prefix) *waiter {
	w := &waiter{from: from, seat: make(chan bool, 1)}
	if d.all.Len() >= mostWaiting {
		d.tell(first(&d.all), false)
	}
	if d.at[from] == 0 {
		w.alone = d.alone.PushBack(w)
	}
	w.all = d.all.PushBack(w)
	d.at[from]++
	return w
}

func first(l *list.List) *waiter { return l.Front().Value.(*waiter) } //nolint:errcheck // they all are

// tell says to a waiter whether it has a seat.
func (d *desk) tell(w *waiter, seated bool) {
	d.all.Remove(w.all)
	if w.alone != nil {
		d.alone.Remove(w.alone)
	}
	if !seated {
		d.leave(w.from)
	}
	w.told = true
	w.seat <- seated
}

// leave forgets one of an address.
func (d *desk) leave(from netip.Prefix) {
	if d.at[from]--; d.at[from] == 0 {
		delete(d.at, from)
	}
}

// giveUp takes a waiter out; false: it was told meanwhile that it has a seat.
func (d *desk) giveUp(w *waiter) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w.told {
		return !<-w.seat
	}
	d.tell(w, false)
	return true
}

// rise gives a seat to whoever is next.
func (d *desk) rise(from netip.Prefix) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leave(from)
	d.newest = !d.newest
	switch {
	case d.newest && d.alone.Len() > 0:
		d.tell(d.alone.Back().Value.(*waiter), true) //nolint:errcheck // they all are
	case d.all.Len() > 0:
		d.tell(first(&d.all), true)
	default:
		d.free++
	}
}

// waiting is how many wait.
func (d *desk) waiting() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all.Len()
}

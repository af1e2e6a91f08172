package proxy

import (
	"net/netip"
	"sync"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/shedding"
)

// mostOfOne is how many requests of one address may be at the origin at once: half
// of the places that one of its servers has, or as many as its rate allows in a second
// where that is more, as for a school with many behind one address. A rate bounds how
// fast somebody comes, not how long they stay, and who reads slowly stays long.
const mostOfOne = 256

// perAddress counts who is at the origin, by address.
type perAddress struct {
	mu   sync.Mutex
	most int // 0: any number
	of   map[string]int
}

// newPerAddress bounds by what may come in a second; where addresses say nothing, it does
// not.
func newPerAddress(l configs.Limit) *perAddress {
	a := &perAddress{of: map[string]int{}}
	if !l.Off {
		a.most = max(mostOfOne, int(l.Rate.PerSecond()))
	}
	return a
}

// enter counts a request that comes; leave, if it may, has to be called when it is
// through.
func (a *perAddress) enter(addr netip.Addr) (leave func(), over *excess) {
	if a.most == 0 {
		return func() {}, nil
	}
	key := shedding.AddressKey(addr)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of[key] >= a.most {
		return nil, &excess{limit: "address_at_once", retry: time.Second}
	}
	a.of[key]++
	return func() { a.leave(key) }, nil
}

func (a *perAddress) leave(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of[key]--; a.of[key] == 0 {
		delete(a.of, key)
	}
}

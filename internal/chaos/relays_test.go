package chaos_test

import (
	"context"
	"net"
	"sync"

	"github.com/waitroom/waitroom/internal/testserver"
)

// relays stand between one client and all servers that it comes to know of, such
// as the nodes of a Cluster: what is done to them is done to every one, also to
// those that are met later.
type relays struct {
	t testserver.Owner

	mu     sync.Mutex
	to     map[string]*testserver.Relay
	judged func([]byte) testserver.Fate
	closed bool
}

// newRelays returns relays that end with the test.
func newRelays(t testserver.Owner) *relays {
	return &relays{t: t, to: map[string]*testserver.Relay{}}
}

// relay returns the one before the server at an address.
func (r *relays) relay(target string) *testserver.Relay {
	r.mu.Lock()
	defer r.mu.Unlock()
	relay := r.to[target]
	if relay == nil {
		relay = testserver.NewRelay(r.t, target)
		relay.Judge(r.judged)
		if r.closed {
			relay.Shut()
		}
		r.to[target] = relay
	}
	return relay
}

// dial connects through a relay, in the place of a client's own dialer. Where
// nobody listens, nobody answers: a relay alone would.
func (r *relays) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var dialer net.Dialer
	behind, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	_ = behind.Close() // it was asked nothing
	return dialer.DialContext(ctx, network, r.relay(address).Addr)
}

// judge decides the fate of every request, see [testserver.Relay.Judge]: one at a
// time, through whichever relay it comes.
func (r *relays) judge(judge func([]byte) testserver.Fate) {
	if judge != nil {
		var one sync.Mutex
		several := judge
		judge = func(request []byte) testserver.Fate {
			one.Lock()
			defer one.Unlock()
			return several(request)
		}
	}
	r.each(func(relay *testserver.Relay) { relay.Judge(judge) }, func() { r.judged = judge })
}

// cut cuts every connection.
func (r *relays) cut() { r.each((*testserver.Relay).Cut, func() {}) }

// shut cuts every connection, and every new one, until open.
func (r *relays) shut() { r.each((*testserver.Relay).Shut, func() { r.closed = true }) }

// open ends a shut.
func (r *relays) open() { r.each((*testserver.Relay).Open, func() { r.closed = false }) }

func (r *relays) each(do func(*testserver.Relay), remember func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	remember()
	for _, relay := range r.to {
		do(relay)
	}
}

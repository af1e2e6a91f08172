package chaos

import (
	"context"
	"net"
	"sync"

	"github.com/waitroom/waitroom/internal/testserver"
)

// Relays stand between one client and all servers that it comes to know of, such
// as the nodes of a Cluster: what is done to them is done to every one, also to
// those that are met later.
type Relays struct {
	t testserver.Owner

	mu    sync.Mutex
	to    map[string]*testserver.Relay
	judge func([]byte) testserver.Fate
	shut  bool
}

// NewRelays returns relays that end with the test.
func NewRelays(t testserver.Owner) *Relays {
	return &Relays{t: t, to: map[string]*testserver.Relay{}}
}

// To returns the relay before the server at an address.
func (r *Relays) To(target string) *testserver.Relay {
	r.mu.Lock()
	defer r.mu.Unlock()
	relay := r.to[target]
	if relay == nil {
		relay = testserver.NewRelay(r.t, target)
		relay.Judge(r.judge)
		if r.shut {
			relay.Shut()
		}
		r.to[target] = relay
	}
	return relay
}

// Dial connects through a relay, in the place of a client's own dialer. Where
// nobody listens, nobody answers: a relay alone would.
func (r *Relays) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	var dialer net.Dialer
	behind, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	_ = behind.Close() // it was asked nothing
	return dialer.DialContext(ctx, network, r.To(address).Addr)
}

// Judge decides the fate of every request, see [testserver.Relay].
func (r *Relays) Judge(judge func([]byte) testserver.Fate) {
	r.each(func(relay *testserver.Relay) { relay.Judge(judge) }, func() { r.judge = judge })
}

// Cut cuts every connection.
func (r *Relays) Cut() { r.each((*testserver.Relay).Cut, func() {}) }

// Shut cuts every connection, and every new one, until Open.
func (r *Relays) Shut() { r.each((*testserver.Relay).Shut, func() { r.shut = true }) }

// Open ends a Shut.
func (r *Relays) Open() { r.each((*testserver.Relay).Open, func() { r.shut = false }) }

func (r *Relays) each(do func(*testserver.Relay), remember func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	remember()
	for _, relay := range r.to {
		do(relay)
	}
}

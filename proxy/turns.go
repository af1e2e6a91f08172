package proxy

import (
	"errors"
	"net"
	"net/http"
	"sync"

	"github.com/waitroom/waitroom/proxy/listen"
)

// turns are the servers of HTTP/2, one after the other: net/http fixes how long a
// header may be for the life of one. Each keeps the connections that it has.
type turns struct {
	build func(header int) *http.Server

	mu      sync.Mutex
	header  int
	exit    net.Listener // of the newest
	servers []*http.Server
	serve   func(*http.Server, net.Listener) // nil: they are not run yet
}

// turn lets another server have new connections, if the bound is another one.
func (t *turns) turn(header int, door *listen.Door) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if header == t.header {
		return
	}
	if t.exit != nil {
		_ = t.exit.Close() // it never fails
	}
	if t.serve == nil {
		t.servers = nil
	}
	t.header, t.exit = header, door.Exit(listen.HTTP2)
	t.servers = append(t.servers, t.build(header))
	if t.serve != nil {
		t.serve(t.servers[len(t.servers)-1], t.exit)
	}
}

// run lets serve begin with the newest, and with each that follows.
func (t *turns) run(serve func(*http.Server, net.Listener)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.serve = serve
	serve(t.servers[len(t.servers)-1], t.exit)
}

// stop ends all of them by one way to.
func (t *turns) stop(end func(*http.Server) error) error {
	t.mu.Lock()
	all := t.servers
	t.mu.Unlock()
	errs := make([]error, len(all))
	var ends sync.WaitGroup
	for i, s := range all {
		ends.Go(func() { errs[i] = end(s) })
	}
	ends.Wait()
	return errors.Join(errs...)
}

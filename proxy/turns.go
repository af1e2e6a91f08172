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
	greeter *listen.Greeter
	build   func(header int) *http.Server

	mu      sync.Mutex
	header  int
	serve   func(*http.Server, net.Listener) // nil: they are not run yet
	exit    net.Listener                     // of the newest
	servers []*http.Server
}

// turn lets another server have new connections, if the bound is another one.
func (t *turns) turn(header int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if header == t.header {
		return
	}
	t.header = header
	if t.serve != nil {
		t.next()
	}
}

// run lets serve begin with the first, and with each that follows.
func (t *turns) run(serve func(*http.Server, net.Listener)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.serve = serve
	t.next()
}

func (t *turns) next() {
	if t.exit != nil {
		_ = t.exit.Close() // it never fails
	}
	server := t.build(t.header)
	t.exit, t.servers = t.greeter.Exit(listen.HTTP2), append(t.servers, server)
	t.serve(server, t.exit)
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

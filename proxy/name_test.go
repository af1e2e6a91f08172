package proxy_test

import (
	"io"
	"net"
	"sync/atomic"
	"testing"
)

// name is an address that leads to a server, and later to another one: what is
// connected stays where it is.
type name struct {
	addr   string
	target atomic.Pointer[string]
}

func newName(t *testing.T, target string) *name {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	n := &name{addr: l.Addr().String()}
	n.lead(target)
	go func() { // ends with the listener
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go n.carry(client)
		}
	}()
	return n
}

// lead lets new connections reach another server.
func (n *name) lead(target string) { n.target.Store(&target) }

func (n *name) carry(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", *n.target.Load())
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	_, _ = io.Copy(client, server)
}

func splitAddr(addr string) (host, port string) {
	host, port, _ = net.SplitHostPort(addr)
	return host, port
}

package listen

import (
	"net"
	"sync"
)

// exit is a net.Listener of connections that others accepted.
type exit struct {
	from <-chan net.Conn
	at   net.Addr
	done chan struct{}
	once sync.Once
}

func (e *exit) Accept() (net.Conn, error) {
	select {
	case <-e.done:
		return nil, net.ErrClosed
	default:
	}
	select {
	case c := <-e.from:
		return c, nil
	case <-e.done:
		return nil, net.ErrClosed
	}
}

func (e *exit) Addr() net.Addr { return e.at }

func (e *exit) Close() error {
	e.once.Do(func() { close(e.done) })
	return nil
}

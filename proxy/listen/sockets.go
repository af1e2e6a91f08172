package listen

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// A Socket is one that is open, or wanted (then without a listener), under the key
// and the address that it has in the configuration.
type Socket struct {
	*net.TCPListener
	Key, At string
}

// Sockets are all that one program has open.
type Sockets []Socket

// Open opens the sockets that are wanted, so that a port in use is an error at the
// start, and port 0 can be asked for. Those that a predecessor has under the same
// key and address are taken over from it.
func Open(want Sockets, before *Predecessor) (Sockets, error) {
	var all Sockets
	for _, w := range want {
		l := before.take(w)
		if l == nil {
			var err error
			if l, err = open(w.At); err != nil {
				return nil, errors.Join(fmt.Errorf("%s: %w", w.Key, err), all.Close())
			}
		}
		all = append(all, Socket{l, w.Key, w.At})
	}
	return all, nil
}

func open(at string) (*net.TCPListener, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", at)
	if err != nil {
		return nil, err
	}
	return l.(*net.TCPListener), nil //nolint:errcheck // of tcp it is one
}

// Of is the socket under a key; nil if there is none.
func (s Sockets) Of(key string) *net.TCPListener {
	for _, one := range s {
		if one.Key == key {
			return one.TCPListener
		}
	}
	return nil
}

// shares reports whether a socket is wanted of those that are there.
func (s Sockets) shares(want Sockets) bool {
	for _, w := range want {
		for _, one := range s {
			if one.Key == w.Key && one.At == w.At {
				return true
			}
		}
	}
	return false
}

// Close closes all that are still open.
func (s Sockets) Close() error {
	var errs []error
	for _, one := range s {
		if err := one.TCPListener.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

package listen

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/waitroom/waitroom/configs"
)

// The keys under which sockets are known.
const (
	HTTPS  = "listen.https"
	HTTP   = "listen.http"
	Admin  = "listen.admin"
	Worker = "worker.listen"
)

// A Socket is one that is open, under the key and the address that it has in the
// configuration.
type Socket struct {
	*net.TCPListener
	Key, At string
}

// Sockets are all that one program has open.
type Sockets []Socket

// Open opens what a configuration names, so that a port in use is an error at the
// start, and port 0 can be asked for. Those that a predecessor has under the same
// key and address are taken over from it; nil is none.
func Open(cfg *configs.Config, before *Predecessor) (Sockets, error) {
	var all Sockets
	for _, want := range wanted(cfg) {
		l := before.take(want)
		if l == nil {
			var err error
			if l, err = open(want.At); err != nil {
				return nil, errors.Join(fmt.Errorf("%s: %w", want.Key, err), all.Close())
			}
		}
		all = append(all, Socket{l, want.Key, want.At})
	}
	return all, nil
}

// wanted are the addresses of a configuration, which are not open yet.
func wanted(cfg *configs.Config) Sockets {
	all := Sockets{{Key: HTTPS, At: cfg.Listen.HTTPS}}
	if cfg.Listen.HTTP != "" {
		all = append(all, Socket{Key: HTTP, At: cfg.Listen.HTTP})
	}
	if cfg.Listen.Admin != "" {
		all = append(all, Socket{Key: Admin, At: cfg.Listen.Admin})
	}
	if cfg.Embedded() && cfg.Worker.Token.IsSet() {
		all = append(all, Socket{Key: Worker, At: cfg.Worker.Listen})
	}
	return all
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

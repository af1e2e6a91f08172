package origin

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	dialWait    = 5 * time.Second // for a connection, and again for its handshake
	leastStall  = time.Minute     // for a server to take a piece of a request
	expectWait  = time.Second     // for a server to ask for a body that waits to be asked for
	sharedKeep  = time.Minute     // an idle connection of HTTP/2, whose end is announced
	pingAfter   = 15 * time.Second
	mostAnswer  = 256 << 10 // bytes of an answer's head
	keepAliveIn = 15 * time.Second
)

// opener opens connections to one server. A connection is made here, as far as
// TLS, and then given to the client of the protocol that was agreed on: so it is
// known of each what was written on it, and no client sends a request twice.
type opener struct {
	address    address
	any, http1 *tls.Config // nil: no TLS
	stall      time.Duration
	one, two   *http.Transport
	agreed     atomic.Int32 // with TLS: the last protocol, 0 before there is one
}

func newOpener(a address, roots *x509.CertPool, timeout time.Duration) *opener {
	o := &opener{address: a, stall: max(leastStall, timeout)}
	o.any, o.http1 = tlsConfigs(a.name, roots)
	o.one, o.two = newTransport(timeout), newTransport(timeout)
	o.one.Protocols.SetHTTP1(true)
	o.two.Protocols.SetUnencryptedHTTP2(true) // over whatever it is given
	o.two.IdleConnTimeout = sharedKeep
	o.two.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: dialWait}
	return o
}

type madeKey struct{}

// newTransport makes clients of connections that are there already.
func newTransport(timeout time.Duration) *http.Transport {
	return &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return ctx.Value(madeKey{}).(net.Conn), nil
		},
		Protocols:              new(http.Protocols),
		ResponseHeaderTimeout:  timeout,
		ExpectContinueTimeout:  expectWait,
		MaxResponseHeaderBytes: mostAnswer,
		DisableCompression:     true,
	}
}

// mayShare reports whether the next connection may be one for many requests.
func (o *opener) mayShare() bool {
	return o.address.prior || o.any != nil && o.agreed.Load() != 1
}

// open makes a connection. http1 asks for one that can be upgraded.
func (o *opener) open(ctx context.Context, http1 bool) (*conn, error) {
	raw, err := o.dial(ctx)
	if err != nil {
		return nil, err
	}
	two := o.address.prior && !http1
	if o.any != nil {
		secure, err := o.handshake(ctx, raw, http1)
		if err != nil {
			_ = raw.Close()
			return nil, err
		}
		raw, two = secure, secure.ConnectionState().NegotiatedProtocol == "h2"
		if !http1 {
			o.agreed.Store(map[bool]int32{false: 1, true: 2}[two])
		}
	}
	w := newWire(raw, o.stall, !two)
	client := o.one
	if two {
		client = o.two
	}
	cc, err := client.NewClientConn(context.WithValue(ctx, madeKey{}, net.Conn(w)), "http", "origin:80")
	if err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("open connection: %w", err)
	}
	return &conn{ClientConn: cc, wire: w, http2: two, http1: http1 && o.mayShare()}, nil
}

func (o *opener) dial(ctx context.Context) (net.Conn, error) {
	dialer := net.Dialer{Timeout: dialWait, KeepAliveConfig: net.KeepAliveConfig{
		Enable: true, Idle: keepAliveIn, Interval: keepAliveIn / 3, Count: 3,
	}}
	return dialer.DialContext(ctx, o.address.network, o.address.host)
}

func (o *opener) handshake(ctx context.Context, raw net.Conn, http1 bool) (*tls.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	config := o.any
	if http1 {
		config = o.http1
	}
	secure := tls.Client(raw, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, fmt.Errorf("handshake with origin: %w", err)
	}
	return secure, nil
}

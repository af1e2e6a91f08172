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
	address       address
	either, first *tls.Config // for any request, and for HTTP/1.1; nil: no TLS
	stall         time.Duration
	timeout       time.Duration // for the head of an answer
	http1, http2  *http.Transport
	single        atomic.Bool // with TLS: the last that was agreed on was HTTP/1.1
}

func newOpener(a address, roots *x509.CertPool, timeout time.Duration) *opener {
	o := &opener{address: a, stall: max(leastStall, timeout), timeout: timeout}
	o.either, o.first = tlsConfigs(a.name, roots)
	o.http1, o.http2 = newTransport(timeout), newTransport(timeout)
	o.http1.Protocols.SetHTTP1(true)
	o.http2.Protocols.SetUnencryptedHTTP2(true) // over whatever it is given
	o.http2.IdleConnTimeout = sharedKeep
	o.http2.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: dialWait}
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
	return o.address.prior || o.either != nil && !o.single.Load()
}

// open makes a connection. http1 asks for one that can be upgraded, plain for a direct
// one where that is not HTTP/2.
func (o *opener) open(ctx context.Context, http1, plain bool) (*conn, error) {
	raw, err := o.dial(ctx)
	if err != nil {
		return nil, err
	}
	http2 := o.address.prior && !http1
	if o.either != nil {
		secure, err := o.handshake(ctx, raw, http1)
		if err != nil {
			_ = raw.Close()
			return nil, err
		}
		raw, http2 = secure, secure.ConnectionState().NegotiatedProtocol == "h2"
		if !http1 {
			o.single.Store(!http2)
		}
	}
	k := &conn{http2: http2, http1: http1 && o.mayShare()}
	if plain && !http2 {
		k.direct = &direct{Conn: raw, opener: o}
		return k, nil
	}
	return k, o.standard(ctx, k, raw)
}

// standard gives a connection to a standard client, which takes it from there: it
// reads ahead.
func (o *opener) standard(ctx context.Context, k *conn, raw net.Conn) error {
	client, w := o.http1, newWire(raw, o.stall, !k.http2)
	if k.http2 {
		client = o.http2
	}
	cc, err := client.NewClientConn(context.WithValue(ctx, madeKey{}, net.Conn(w)), "http", "origin:80")
	if err == nil {
		err = cc.Reserve()
	}
	if err != nil {
		_ = w.Close()
		return fmt.Errorf("open connection: %w", err)
	}
	k.ClientConn, k.wire, k.direct = cc, w, nil
	return nil
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
	config := o.either
	if http1 {
		config = o.first
	}
	secure := tls.Client(raw, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, fmt.Errorf("handshake with origin: %w", err)
	}
	return secure, nil
}

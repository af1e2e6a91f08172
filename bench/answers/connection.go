package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"time"
)

// target is whom a connection asks, and for what.
type target struct {
	at      string // address
	ask     ask
	ticket  string // field of the shopper who waits
	http2   bool
	streams int

	from     net.IP                 // address of who asks; nil: any
	sessions tls.ClientSessionCache // nil: each handshake is a full one
}

// talker is one connection. It is for one goroutine.
type talker interface {
	// talk asks once on each of its streams and reads the answers to their ends. Any
	// that is not the one that is measured is an error.
	talk() error
	Close() error
}

// patience bounds a handshake, and all that a connection does until it is closed.
const patience = 10 * time.Minute

// dial shakes hands.
func (t target) dial(ctx context.Context) (talker, error) {
	c, err := t.shake(ctx)
	if err != nil {
		return nil, err
	}
	if t.http2 {
		return newTwo(c, t)
	}
	return newOne(c, t), nil
}

func (t target) shake(ctx context.Context) (*tls.Conn, error) {
	protocol := "http/1.1"
	if t.http2 {
		protocol = "h2"
	}
	dialer := tls.Dialer{
		NetDialer: &net.Dialer{Timeout: patience, LocalAddr: &net.TCPAddr{IP: t.from}},
		Config: &tls.Config{ //nolint:gosec // on loopback; what a handshake costs the server is the same
			ServerName: shop, InsecureSkipVerify: true, NextProtos: []string{protocol}, MinVersion: tls.VersionTLS13,
			CurvePreferences: []tls.CurveID{tls.X25519}, ClientSessionCache: t.sessions,
		},
	}
	conn, err := dialer.DialContext(ctx, "tcp", t.at)
	if err != nil {
		return nil, err
	}
	c := conn.(*tls.Conn) // that is what it dials
	if got := c.ConnectionState().NegotiatedProtocol; got != protocol {
		_ = c.Close()
		return nil, fmt.Errorf("shake hands with %s: got protocol %q, want %q", t.at, got, protocol)
	}
	return c, c.SetDeadline(time.Now().Add(patience))
}

// unwanted is the error of an answer that is not the one that is measured.
func (t target) unwanted(status string) error {
	return fmt.Errorf("%s %s at %s: got %s, want %d with a body", t.ask.method, t.ask.path, t.at, status, t.ask.status)
}

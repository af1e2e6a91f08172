package wiring

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
)

type dial = func(ctx context.Context, network, addr string) (net.Conn, error)

// dialer connects to any of several nodes. With TLS each has to prove the name,
// or the address, under which it is called; the library would ask all of them for
// that of the first.
func dialer(secure *tls.Config) dial {
	plain := &net.Dialer{Timeout: redisDial}
	if secure == nil {
		return plain.DialContext
	}
	secure = secure.Clone()
	secure.ServerName = ""
	return (&tls.Dialer{NetDialer: plain, Config: secure}).DialContext
}

// watchful is a dialer for a Cluster. gone is called when a node cannot be
// reached, or a connection breaks: it may not be the primary any more.
func watchful(dial dial, gone func()) dial {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			gone()
			return nil, err
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			return tcpConn{tcp, conn{tcp, gone}}, nil
		}
		return conn{c, gone}, nil
	}
}

// conn is a connection whose end the library does not take for a reason to send
// the command once more: it may have been done. Of a Cluster's client that cannot
// be switched off, other than with the redirects.
type conn struct {
	net.Conn
	gone func()
}

func (c conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return n, c.lost(err)
}

func (c conn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	return n, c.lost(err)
}

func (c conn) lost(err error) error {
	if err == nil {
		return nil
	}
	c.gone()
	return &lostError{err}
}

// tcpConn is a conn that the library can look at before it uses it again, so that
// one that was closed meanwhile costs no command.
type tcpConn struct {
	*net.TCPConn
	conn conn
}

func (c tcpConn) Read(b []byte) (int, error)  { return c.conn.Read(b) }
func (c tcpConn) Write(b []byte) (int, error) { return c.conn.Write(b) }

// lostError says that a connection broke and does not say it in the library's
// words: not as an end of file and not as a timeout of the network.
type lostError struct{ cause error }

func (e *lostError) Error() string { return "connection lost: " + e.cause.Error() }

// Is lets our own packages ask. An end of file is a reset to them.
func (e *lostError) Is(target error) bool {
	switch target {
	case io.EOF, io.ErrUnexpectedEOF:
		return false
	case syscall.ECONNRESET:
		return errors.Is(e.cause, io.EOF) || errors.Is(e.cause, target)
	}
	return errors.Is(e.cause, target)
}

package listen

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
)

// greeted lets one end of a pipe be greeted by a Greeter that needs some time for its
// part of the handshake, and says how long it took all in all.
func greeted(t *testing.T, work time.Duration, client func(net.Conn)) (took time.Duration, err error) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(*testing.T) {
		conns := &Connections{roll: newRoll(boundsOf(10)), desk: newDesk(1)}
		secure := &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			time.Sleep(work)
			return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
		}}
		d := &Greeter{tls: secure, conns: conns, log: zap.NewNop()}
		d.Apply(Terms{Header: 32 << 10})
		near, far := net.Pipe()
		go client(far)
		begun := time.Now()
		c := &conn{Conn: near, roll: conns.roll}
		c.expect()
		_, _, err = d.greet(context.Background(), c, d.terms.Load(), false)
		if took = time.Since(begun); err == nil && !c.greeted {
			t.Error("who serves it next may write before the handshake is known to be over")
		}
		_, _ = near.Close(), far.Close()
	})
	return took, err
}

// TestGreeter_OurOwnTime: how long our part of a handshake takes is not the client's
// fault; who says nothing, at first or after our answer, is given up ten seconds
// later.
func TestGreeter_OurOwnTime(t *testing.T) {
	t.Parallel()
	good := func(c net.Conn) {
		_ = tls.Client(c, &tls.Config{InsecureSkipVerify: true}).Handshake()
		_, _ = io.Copy(io.Discard, c)
	}
	mute := func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }
	half := func(c net.Conn) { // says hello, and nothing after
		_ = tls.Client(&deaf{Conn: c}, &tls.Config{InsecureSkipVerify: true}).Handshake()
	}
	for name, test := range map[string]struct {
		client func(net.Conn)
		work   time.Duration
		took   time.Duration
		well   bool
	}{
		"a good client":                  {good, 0, 0, true},
		"a good client, we are busy":     {good, time.Minute, time.Minute, true},
		"nothing":                        {mute, 0, helloWait, false},
		"nothing after our answer":       {half, 0, helloWait, false},
		"nothing after it, we were busy": {half, time.Minute, time.Minute + helloWait, false},
	} {
		took, err := greeted(t, test.work, test.client)
		if took != test.took || (err == nil) != test.well {
			t.Errorf("%s: it took %v, %v; want %v and served %v", name, took, err, test.took, test.well)
		}
	}
}

// deaf is a connection whose end does not react to what it reads.
type deaf struct{ net.Conn }

func (d *deaf) Read([]byte) (int, error) {
	_, err := io.Copy(io.Discard, d.Conn)
	if err == nil {
		err = io.EOF
	}
	return 0, err
}

// pair is both ends of a connection.
func pair(t *testing.T) (near *conn, far net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if far, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	raw, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = far.Close(), raw.Close() })
	return &conn{Conn: raw, roll: newRoll(boundsOf(10))}, far
}

// TestConn_TooBusyToLook: what had come before a client's time was over is read all
// the same; one that is idle, but whose request has come, is not dismissed.
func TestConn_TooBusyToLook(t *testing.T) {
	t.Parallel()
	c, far := pair(t)
	b := make([]byte, 10)
	_ = c.SetDeadline(time.Unix(1, 0))
	if n, err := c.Read(b); !isTimeout(err) {
		t.Fatalf("nothing has come: got %d, %v, want that the time is over", n, err)
	}
	_, _ = c.roll.enter(c)
	c.roll.busy(c, false)
	_, _ = io.WriteString(far, "hello")
	for stop := time.Now().Add(10 * time.Second); !c.waits(); {
		if time.Now().After(stop) {
			t.Fatal("nothing waits, want what was sent")
		}
	}
	c.roll.dismiss(time.Now().Add(time.Second))
	if c.closed.Load() {
		t.Error("who has sent something is dismissed")
	}
	if n, err := c.Read(b); string(b[:n]) != "hello" || err != nil {
		t.Errorf("got %q, %v, want hello", b[:n], err)
	}
	c.roll.dismiss(time.Now().Add(time.Second))
	if !c.closed.Load() {
		t.Error("who is idle is not dismissed")
	}
}

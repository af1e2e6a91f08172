package listen

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/proxy/framing"
)

const (
	helloWait             = 10 * time.Second                   // for a client to say what is next until it is greeted
	pauseLeast, pauseMost = 10 * time.Millisecond, time.Second // between attempts to accept, when the system has no room
)

// Terms are what a Door asks of connections that come from now on.
type Terms struct {
	Proxies []netip.Prefix // whose connections begin with a PROXY header; empty: nobody's
	Header  int            // bytes of a request's line and fields
}

// A Door takes connections from one socket and brings each to where it is served,
// once it is known who is there and what they speak. Each is brought there by a
// goroutine of its own.
type Door struct {
	socket  *net.TCPListener
	tls     *tls.Config // nil: plain
	crowd   *Crowd
	refused func(reason string)
	log     *zap.Logger
	terms   atomic.Pointer[Terms]
	exits   map[string]chan net.Conn // by protocol
	leaving atomic.Bool
	shut    chan struct{} // nobody is brought anywhere any more
	once    sync.Once
	second  sync.Map // *second: those that speak HTTP/2
}

// What is spoken behind a door.
const (
	HTTP1 = "http/1.1"
	HTTP2 = "h2"
)

// NewDoor makes a door on a socket. Without secure it is one for plain HTTP/1.
// refused gets the reason for each request that is not let through.
func NewDoor(socket *net.TCPListener, secure *tls.Config, terms Terms, crowd *Crowd, refused func(reason string), log *zap.Logger) *Door {
	d := &Door{
		socket: socket, tls: secure, crowd: crowd, refused: refused, log: log.Named("listen"),
		exits: map[string]chan net.Conn{HTTP1: make(chan net.Conn), HTTP2: make(chan net.Conn)},
		shut:  make(chan struct{}),
	}
	d.Apply(terms)
	return d
}

// Apply puts other terms into force.
func (d *Door) Apply(terms Terms) { d.terms.Store(&terms) }

// Run takes connections until Leave or Close, and then those that wait already.
func (d *Door) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = d.socket.Close() })()
	pause := time.Duration(0)
	for {
		raw, err := d.socket.Accept()
		switch {
		case err == nil:
			pause = 0
			d.receive(ctx, raw)
		case errors.Is(err, net.ErrClosed):
			return nil
		case isTimeout(err): // Leave
			d.lastOnes(ctx)
			return d.socket.Close()
		case errors.Is(err, syscall.ECONNABORTED):
		default:
			pause = min(max(2*pause, pauseLeast), pauseMost)
			d.log.Warn("no connection can be accepted", zap.Stringer("at", d.socket.Addr()), zap.Duration("again in", pause), zap.Error(err))
			d.crowd.roll.makeRoom()
			wait(ctx, pause)
		}
	}
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// receive takes a connection in and lets it be brought where it is served.
func (d *Door) receive(ctx context.Context, raw net.Conn) {
	c := &conn{Conn: raw, roll: d.crowd.roll}
	if !d.crowd.roll.enter(c) {
		d.crowd.tell(d.log)
		_ = raw.Close()
		return
	}
	go d.bring(ctx, c)
}

// bring ends in the hands of a server, or in the end of the connection.
func (d *Door) bring(ctx context.Context, c *conn) {
	c.expect()
	ready, spoken, err := d.greet(ctx, c)
	if err != nil {
		d.log.Debug("connection not served", zap.Stringer("from", c.RemoteAddr()), zap.Error(err))
		_ = c.Close()
		return
	}
	c.greeted = true
	_ = c.SetDeadline(time.Time{})
	d.crowd.roll.busy(c, true)
	select {
	case d.exits[spoken] <- ready:
	case <-d.shut:
		_ = ready.Close()
	}
}

// greet finds out who is there, and what they speak.
func (d *Door) greet(ctx context.Context, c *conn) (ready net.Conn, spoken string, err error) {
	terms := d.terms.Load()
	if speaks(terms.Proxies, c.Conn.RemoteAddr()) {
		if err := readHeader(c); err != nil {
			return nil, "", err
		}
	}
	if d.tls == nil {
		return &first{Conn: d.screen(c, terms), under: c}, HTTP1, nil
	}
	secure := tls.Server(c, d.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		answerPlain(err)
		return nil, "", err
	}
	state := secure.ConnectionState()
	switch state.NegotiatedProtocol {
	case HTTP2:
		if prohibited(state) {
			return nil, "", errors.New("HTTP/2 over a cipher that it prohibits")
		}
		return d.newSecond(c, secure, state, terms), HTTP2, nil
	case "", HTTP1, "http/1.0":
		return &firstSecure{first{Conn: d.screen(secure, terms), under: c}, state}, HTTP1, nil
	}
	return nil, "", errors.New("nothing but a handshake was wanted") // of an ACME server
}

func (d *Door) screen(c net.Conn, terms *Terms) net.Conn {
	return framing.Screen(c, framing.Limits{Head: terms.Header}, d.refused)
}

// answerPlain tells who speaks HTTP where TLS is spoken.
func answerPlain(err error) {
	e, ok := errors.AsType[tls.RecordHeaderError](err)
	if !ok || e.Conn == nil {
		return
	}
	switch string(e.RecordHeader[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "OPTIO":
		_, _ = e.Conn.Write([]byte("HTTP/1.0 400 Bad Request\r\n\r\nHTTPS is spoken here.\n"))
	}
}

// Exit is where a server takes the connections that speak one protocol. Closing
// it ends that server's turn and nothing else: another may take over.
func (d *Door) Exit(spoken string) net.Listener {
	return &exit{from: d.exits[spoken], at: d.socket.Addr(), done: make(chan struct{})}
}

// Leave stops accepting, once the queue is empty, unless a successor serves it.
// Over HTTP/2 everybody is told to ask no more here, and still may for a moment.
func (d *Door) Leave(succeeded bool) {
	d.leaving.Store(true)
	if succeeded {
		_ = d.socket.Close()
	} else {
		_ = d.socket.SetDeadline(time.Unix(1, 0)) // Run takes who waits
	}
	d.second.Range(func(c, _ any) bool {
		go c.(*second).sayGoodbye() // which may have to wait for a client that does not read
		return true
	})
}

// Close lets nobody in any more, nor through.
func (d *Door) Close() error {
	d.once.Do(func() { close(d.shut) })
	if err := d.socket.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

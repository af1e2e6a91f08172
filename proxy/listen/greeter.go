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

	"github.com/waitroom/waitroom/proxy/express"
	"github.com/waitroom/waitroom/proxy/framing"
)

const (
	helloWait             = 10 * time.Second                   // for a client to say what is next until it is greeted
	pauseLeast, pauseMost = 10 * time.Millisecond, time.Second // between attempts to accept, when the system has no room
)

// Terms are what a Greeter asks of connections that come from now on.
type Terms struct {
	Proxies   []netip.Prefix // who stand for many clients, so that no bound of one address is theirs
	Announced bool           // their connections begin with a PROXY header
	Header    int            // bytes of a request's line and fields
}

// A Greeter takes connections from one socket and brings each to where it is served,
// once it is known who is there and what they speak. Each is brought there by a
// goroutine of its own.
type Greeter struct {
	socket  *net.TCPListener
	tls     *tls.Config // nil: plain
	conns   *Connections
	lane    *express.Lane // nil: none
	refused func(reason string)
	log     *zap.Logger
	terms   atomic.Pointer[Terms]
	exits   map[string]chan net.Conn // by protocol
	leaving atomic.Bool
	parted  chan struct{} // nobody is brought to a server of HTTP/2 any more
	shut    chan struct{} // nobody is brought anywhere any more
	parting sync.Once
	once    sync.Once
	http2   sync.Map // *http2
}

// What is spoken behind a Greeter.
const (
	HTTP1 = "http/1.1"
	HTTP2 = "h2"
)

// NewGreeter makes one on a socket. Without secure it is one for plain HTTP/1. Over TLS
// a lane answers first, unless it is nil, and servers get what is left. refused gets the
// reason for each request that is not let through.
func NewGreeter(socket *net.TCPListener, secure *tls.Config, terms Terms, conns *Connections, lane *express.Lane, refused func(reason string), log *zap.Logger) *Greeter {
	g := &Greeter{
		socket: socket, tls: secure, conns: conns, lane: lane, refused: refused, log: log.Named("listen"),
		exits:  map[string]chan net.Conn{HTTP1: make(chan net.Conn), HTTP2: make(chan net.Conn)},
		parted: make(chan struct{}), shut: make(chan struct{}),
	}
	g.Apply(terms)
	return g
}

// Apply puts other terms into force.
func (g *Greeter) Apply(terms Terms) { g.terms.Store(&terms) }

// Run takes connections until Leave or Close, and then those that wait already.
func (g *Greeter) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = g.socket.Close() })()
	pause := time.Duration(0)
	for {
		raw, err := g.socket.Accept()
		switch {
		case err == nil:
			pause = 0
			g.receive(ctx, raw)
		case errors.Is(err, net.ErrClosed):
			return nil
		case isTimeout(err): // Leave
			g.lastOnes(ctx)
			return g.closeSocket()
		case errors.Is(err, syscall.ECONNABORTED):
		default:
			pause = min(max(2*pause, pauseLeast), pauseMost)
			g.log.Warn("no connection can be accepted", zap.Stringer("at", g.socket.Addr()), zap.Duration("retry_in", pause), zap.Error(err))
			g.conns.roll.makeRoom()
			wait(ctx, pause)
		}
	}
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

func wait(ctx context.Context, long time.Duration) {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// receive takes a connection in and lets it be brought where it is served.
func (g *Greeter) receive(ctx context.Context, raw net.Conn) {
	c := &conn{Conn: raw, roll: g.conns.roll}
	at, terms := addressOf(raw.RemoteAddr()), g.terms.Load()
	trusted := among(terms.Proxies, at)
	if !trusted {
		c.from = block(at)
	}
	if !g.conns.enter(c, g.log) {
		_ = raw.Close()
		return
	}
	go g.bring(ctx, c, terms, trusted)
}

// bring ends in the hands of a server, or in the end of the connection.
func (g *Greeter) bring(ctx context.Context, c *conn, terms *Terms, trusted bool) {
	c.expect()
	ready, spoken, err := g.greet(ctx, c, terms, trusted)
	if err != nil {
		if no, ok := errors.AsType[reason](err); ok {
			g.conns.refused(string(no))
		}
		g.log.Debug("connection not served", zap.Stringer("from", c.RemoteAddr()), zap.Error(err))
		_ = c.Close()
		return
	}
	g.conns.roll.busy(c, false)
	if err := g.await(ready); err != nil {
		g.log.Debug("connection needs no server", zap.Stringer("from", c.RemoteAddr()), zap.Error(err))
		_ = ready.Close()
		return
	}
	g.conns.roll.busy(c, true)
	var parted chan struct{}
	if spoken == HTTP2 {
		parted = g.parted
	}
	select {
	case g.exits[spoken] <- ready:
		return
	case <-parted:
	case <-g.shut:
	}
	_ = ready.Close()
}

// await lets the lane answer as long as it can.
func (g *Greeter) await(ready served) (err error) {
	defer guard(g.log, ready, &err)
	return ready.await()
}

// served is a connection that is greeted.
type served interface {
	net.Conn
	await() error // until it needs a server
}

// greet finds out who is there, and what they speak.
func (g *Greeter) greet(ctx context.Context, c *conn, terms *Terms, trusted bool) (ready served, spoken string, err error) {
	defer guard(g.log, c, &err)
	if trusted && terms.Announced {
		if err := readHeader(c); err != nil {
			return nil, "", err
		}
		if c.client != nil && !g.conns.name(c, block(addressOf(c.client)), g.log) {
			return nil, "", errors.New("there are as many of its address as may be")
		}
	}
	if g.tls == nil {
		c.greets()
		return &http1{framing.ScreenHTTP1(c, terms.Header, g.refused), c}, HTTP1, nil
	}
	return g.shake(ctx, c, terms)
}

// shake does the handshake.
func (g *Greeter) shake(ctx context.Context, c *conn, terms *Terms) (ready served, spoken string, err error) {
	under := &shaking{conn: c, ctx: ctx, desk: g.conns.desk}
	defer under.Rest()
	secure := tls.Server(under, g.tls)
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
		c.greets()
		return g.newHTTP2(c, secure, state, terms), HTTP2, nil
	case "", HTTP1, "http/1.0":
		c.greets()
		return g.newHTTP1(c, secure, state, terms), HTTP1, nil
	}
	return nil, "", errors.New("nothing but a handshake was wanted") // of an ACME server
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
func (g *Greeter) Exit(spoken string) net.Listener {
	return &exit{from: g.exits[spoken], at: g.socket.Addr(), done: make(chan struct{})}
}

// Leave stops accepting, once the queue is empty, unless a successor serves it.
// Over HTTP/2 everybody is told to ask no more here, and still may for a moment.
func (g *Greeter) Leave(succeeded bool) {
	g.leaving.Store(true)
	if succeeded {
		_ = g.socket.Close()
	} else {
		_ = g.socket.SetDeadline(time.Unix(1, 0)) // Run takes who waits
	}
	g.http2.Range(func(c, _ any) bool {
		go c.(*http2).Goodbye() // it may have to wait for a client that does not read; the connection's end is its own
		return true
	})
}

// Part ends the connections over HTTP/2 that no server has, when those end that have
// one. Who was told by Leave asks nothing there any more.
func (g *Greeter) Part() {
	g.parting.Do(func() { close(g.parted) })
	g.http2.Range(func(c, _ any) bool {
		go c.(*http2).part() // see Leave
		return true
	})
}

// Close lets nobody in any more, nor through.
func (g *Greeter) Close() error {
	g.once.Do(func() { close(g.shut) })
	return g.closeSocket()
}

// closeSocket closes the socket, which Run and Close may do at the same moment.
func (g *Greeter) closeSocket() error {
	if err := g.socket.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

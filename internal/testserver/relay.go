package testserver

import (
	"context"
	"net"
	"sync"
	"time"
)

// Trick is what a relay does to one request or to its answer.
type Trick int

// A request is what a client sends at once: one command, a pipeline of them, or
// one of Postgres's exchanges. All but Pass, Delay and DelayReply cost the client
// its connection, now or when it loses patience.
const (
	Pass       Trick = iota
	CutBefore        // the connection is cut, and the server never sees the request
	CutHalf          // the server sees the first half of it, and then the end
	Swallow          // the request vanishes; the connection stays
	LoseReply        // the server does what it is asked, and the connection is cut in the place of the answer
	HalfReply        // so too, after the first half of the answer
	HideReply        // the server does what it is asked, and nothing is heard of this connection again
	Delay            // the request arrives late
	DelayReply       // the answer arrives late
)

// Fate is what befalls one request.
type Fate struct {
	Trick Trick
	Late  time.Duration // of Delay and DelayReply
}

// Relay stands between clients and one server, on an address of its own, and
// breaks what passes on purpose. Its methods may be called from any goroutine. It
// ends with the test.
type Relay struct {
	Addr string // 127.0.0.1:PORT

	target string
	ctx    context.Context
	all    sync.WaitGroup

	mu    sync.Mutex
	judge func(request []byte) Fate // nil: all pass
	wires map[*wire]bool
	shut  bool
}

// NewRelay starts a relay before the server at an address.
func NewRelay(t Owner, target string) *Relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	r := &Relay{Addr: listener.Addr().String(), target: target, ctx: ctx, wires: map[*wire]bool{}}
	r.all.Go(func() { r.accept(listener) })
	t.Cleanup(func() {
		end()
		_ = listener.Close() // which ends accept
		r.Cut()
		r.all.Wait()
	})
	return r
}

// Judge lets judge decide the fate of every request from now on, one at a time;
// nil lets all pass.
func (r *Relay) Judge(judge func(request []byte) Fate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.judge = judge
}

// Cut cuts every connection.
func (r *Relay) Cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for w := range r.wires {
		w.cut()
	}
}

// Shut cuts every connection, and every new one, until Open.
func (r *Relay) Shut() {
	r.mu.Lock()
	r.shut = true
	r.mu.Unlock()
	r.Cut()
}

// Open ends a Shut.
func (r *Relay) Open() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shut = false
}

func (r *Relay) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		r.all.Go(func() { r.carry(client) })
	}
}

// carry is one connection's life.
func (r *Relay) carry(client net.Conn) {
	defer func() { _ = client.Close() }()
	dialer := net.Dialer{Timeout: asks}
	server, err := dialer.DialContext(r.ctx, "tcp", r.target)
	if err != nil {
		return
	}
	w := &wire{relay: r, client: client, server: server}
	if !r.add(w) {
		w.cut()
		return
	}
	var both sync.WaitGroup
	both.Go(w.requests)
	both.Go(w.replies)
	both.Wait()
	r.mu.Lock()
	delete(r.wires, w)
	r.mu.Unlock()
}

func (r *Relay) add(w *wire) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shut || r.ctx.Err() != nil {
		return false
	}
	r.wires[w] = true
	return true
}

// fateOf asks the judge.
func (r *Relay) fateOf(request []byte) Fate {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.judge == nil {
		return Fate{}
	}
	return r.judge(request)
}

// late waits for as long as something is late.
func (r *Relay) late(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.ctx.Done():
	}
}

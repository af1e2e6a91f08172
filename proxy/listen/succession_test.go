package listen_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/proxy/listen"
)

// plan is what a program wants, on a folder.
type plan struct {
	dir  string
	want listen.Sockets
}

// at is a plan of addresses; empty: none.
func at(dir, https, http, admin string) plan {
	p := plan{dir: dir}
	for _, s := range []listen.Socket{{Key: "https", At: https}, {Key: "http", At: http}, {Key: "admin", At: admin}} {
		if s.At != "" {
			p.want = append(p.want, s)
		}
	}
	return p
}

// running is a program that serves: it answers each connection with its name.
type running struct {
	sockets listen.Sockets
	taken   chan int
	stop    context.CancelFunc
	ended   chan error
}

func run(t *testing.T, cfg plan, sockets listen.Sockets) *running {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r := &running{sockets: sockets, taken: make(chan int, 1), stop: stop, ended: make(chan error, 1)}
	offer, err := listen.NewOffer(cfg.dir, sockets, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	go func() { r.ended <- offer.Run(ctx) }()
	go func() {
		select {
		case pid := <-offer.Taken():
			r.taken <- pid
		case <-ctx.Done():
		}
	}()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-r.ended, offer.Close(), sockets.Close()); err != nil {
			t.Error(err)
		}
	})
	return r
}

func open(t *testing.T, cfg plan, before *listen.Predecessor) listen.Sockets {
	t.Helper()
	sockets, err := listen.Open(cfg.want, before)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sockets.Close() })
	return sockets
}

func call(t *testing.T, cfg plan) *listen.Predecessor {
	t.Helper()
	p, err := listen.Call(cfg.dir, cfg.want)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func serving(t *testing.T, p *listen.Predecessor) {
	t.Helper()
	if err := p.Go(); err != nil {
		t.Fatal(err)
	}
	if err := p.Serving(); err != nil {
		t.Fatal(err)
	}
}

func took(t *testing.T, r *running) {
	t.Helper()
	select {
	case pid := <-r.taken:
		if pid != os.Getpid() && pid != 0 {
			t.Errorf("process %d took over, want %d", pid, os.Getpid())
		}
	case <-time.After(10 * time.Second):
		t.Fatal("nobody took over")
	}
}

// TestSuccession: the sockets go from one to the other and to a third, with who
// waits in their queues; also where the folder's name is longer than a socket's may
// be.
func TestSuccession(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), strings.Repeat("long/", 30))} {
		cfg := at(dir, "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0")
		if p := call(t, cfg); p != nil {
			t.Fatal("there is a predecessor, want none")
		}
		first := run(t, cfg, open(t, cfg, nil))
		address := first.sockets.Of("https").Addr().String()
		for range 2 {
			before := call(t, cfg)
			if before == nil {
				t.Fatal("there is no predecessor, want one")
			}
			waits, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			next := open(t, cfg, before)
			if got := next.Of("https").Addr().String(); got != address {
				t.Errorf("the successor listens at %s, want %s", got, address)
			}
			serving(t, before)
			took(t, first)
			_ = first.sockets.Close()
			first = run(t, cfg, next)
			before.Settled()
			c, err := next.Of("https").Accept()
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(c, "hello")
			_ = c.Close()
			if got, err := io.ReadAll(waits); string(got) != "hello" || err != nil {
				t.Errorf("who waited in the queue got %q, %v, want hello", got, err)
			}
		}
	}
}

// TestSuccession_FailsBefore: a successor that ends before it is ready, or after it
// was told yes, changes nothing; the next one can take over.
func TestSuccession_FailsBefore(t *testing.T) {
	t.Parallel()
	cfg := at(t.TempDir(), "127.0.0.1:0", "", "")
	first := run(t, cfg, open(t, cfg, nil))
	for _, ready := range []bool{false, true} {
		p := call(t, cfg)
		if ready {
			if err := p.Go(); err != nil {
				t.Fatal(err)
			}
		}
		_ = p.Close()
	}
	c, err := net.Dial("tcp", first.sockets.Of("https").Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	var p *listen.Predecessor
	for stop := time.Now().Add(10 * time.Second); time.Now().Before(stop); { // it has to hear that the last one is gone
		p = call(t, cfg)
		if err = p.Go(); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Serving(); err != nil {
		t.Fatal(err)
	}
	took(t, first)
}

// TestSuccession_OneOfTwo: of two that come at once one takes over, and the other
// hears that.
func TestSuccession_OneOfTwo(t *testing.T) {
	t.Parallel()
	cfg := at(t.TempDir(), "127.0.0.1:0", "", "")
	first := run(t, cfg, open(t, cfg, nil))
	one, two := call(t, cfg), call(t, cfg)
	three := call(t, cfg)
	if err := one.Go(); err != nil {
		t.Fatal(err)
	}
	if err := two.Go(); err == nil || !strings.HasPrefix(err.Error(), "the instance that runs does not leave: another one ") {
		t.Errorf("the second one: got %v, want that the other one stays", err)
	}
	if err := one.Serving(); err != nil {
		t.Fatal(err)
	}
	took(t, first)
	first.stop() // it drains
	if err := three.Go(); err == nil || !strings.HasPrefix(err.Error(), "the instance that runs does not leave: another one ") {
		t.Errorf("one that comes when another serves: got %v, want that the other one stays", err)
	}
}

// TestSuccession_OtherAddresses: what is new is opened, what is given up is not
// kept, and who serves nowhere that is wanted is left alone.
func TestSuccession_OtherAddresses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := run(t, at(dir, "127.0.0.1:0", "127.0.0.1:0", ""), open(t, at(dir, "127.0.0.1:0", "127.0.0.1:0", ""), nil))
	given := first.sockets.Of("http").Addr().String()

	if p := call(t, at(dir, "localhost:0", "", "localhost:0")); p != nil {
		t.Error("one that serves elsewhere is to be replaced, want it left alone")
	}
	changed := at(dir, "127.0.0.1:0", "", "127.0.0.1:0")
	before := call(t, changed)
	next := open(t, changed, before)
	if next.Of("https").Addr().String() != first.sockets.Of("https").Addr().String() || next.Of("admin") == nil || next.Of("http") != nil {
		t.Errorf("the successor has %v", next)
	}
	serving(t, before)
	took(t, first)
	_ = before.Close()
	_ = first.sockets.Close()
	if c, err := net.Dial("tcp", given); err == nil {
		_ = c.Close()
		t.Errorf("%s is still open, want it closed", given)
	}
}

// TestSuccession_PredecessorEnds: one that ends while its successor starts leaves
// the sockets to it.
func TestSuccession_PredecessorEnds(t *testing.T) {
	t.Parallel()
	cfg := at(t.TempDir(), "127.0.0.1:0", "", "")
	first := run(t, cfg, open(t, cfg, nil))
	before := call(t, cfg)
	open(t, cfg, before)
	first.stop()
	if err := before.Go(); err != nil {
		t.Errorf("got %v, want leave to serve", err)
	}
}

// TestSuccession_Stale: what a program that was killed has left is nobody.
func TestSuccession_Stale(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "successor.sock"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	cfg := at(dir, "127.0.0.1:0", "", "")
	if p := call(t, cfg); p != nil {
		t.Error("there is a predecessor, want none")
	}
	run(t, cfg, open(t, cfg, nil))
	if info, err := os.Stat(filepath.Join(dir, "successor.sock")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want a socket for nobody else", info.Mode(), err)
	}
	if p := call(t, cfg); p == nil {
		t.Error("there is no predecessor, want one")
	}
}

// TestSuccession_TooLate: who comes when another one has taken over, or stalls until
// its predecessor has gone on, does not serve.
func TestSuccession_TooLate(t *testing.T) {
	t.Parallel()
	cfg := at(t.TempDir(), "127.0.0.1:0", "", "")
	first := run(t, cfg, open(t, cfg, nil))
	b, c := call(t, cfg), call(t, cfg)
	if err := b.Go(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(5500 * time.Millisecond)
	if err := b.Serving(); !errors.Is(err, listen.ErrStays) {
		t.Errorf("serving too late: got %v, want that the other one stays", err)
	}
	_ = b.Close()
	b = call(t, cfg)
	serving(t, b)
	took(t, first)
	first.stop()
	time.Sleep(200 * time.Millisecond)
	if err := c.Go(); !errors.Is(err, listen.ErrStays) {
		t.Errorf("when another one serves: got %v, want that it stays", err)
	}
}

// TestSuccession_TwoOrphans: of two whose predecessor ends while they start, one
// serves; so it is when the other asks only after it has its own place.
func TestSuccession_TwoOrphans(t *testing.T) {
	t.Parallel()
	for _, settled := range []bool{false, true} {
		cfg := at(t.TempDir(), "127.0.0.1:0", "", "")
		first := run(t, cfg, open(t, cfg, nil))
		b, c := call(t, cfg), call(t, cfg)
		first.stop()
		time.Sleep(200 * time.Millisecond)
		if err := b.Go(); err != nil {
			t.Fatalf("the first of two: got %v, want leave to serve", err)
		}
		if err := b.Serving(); err != nil {
			t.Fatalf("the first of two: got %v, want leave to serve", err)
		}
		if settled {
			run(t, cfg, open(t, cfg, b))
			b.Settled()
		} else if p, err := listen.Call(cfg.dir, cfg.want); !errors.Is(err, listen.ErrStays) {
			t.Errorf("one that starts meanwhile: got %v, %v, want that another one is taking over", p, err)
		}
		if err := c.Go(); !errors.Is(err, listen.ErrStays) {
			t.Errorf("the second of two, the first has its place %v: got %v, want that it does not serve", settled, err)
		}
	}
}

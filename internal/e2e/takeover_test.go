package e2e_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/waitroom/waitroom/internal/testserver"
)

// load is how much traffic a shop has while its edge is replaced.
type load struct {
	perSecond float64
	turns     int           // how often an instance goes and another comes
	each      time.Duration // between two of them
	sockets   int
	downloads int
}

// loads is a modest load, or the whole one: WAITROOM_RESTARTS=whole.
func loads() load {
	if os.Getenv("WAITROOM_RESTARTS") == "whole" {
		return load{perSecond: 1000, turns: 6, each: 10 * time.Second, sockets: 20, downloads: 50}
	}
	return load{perSecond: 300, turns: 2, each: 3 * time.Second, sockets: 5, downloads: 10}
}

// busyShop answers quickly, slowly, and over a WebSocket.
func busyShop(t *testing.T) string {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("the shop ", 100))
	})
	mux.HandleFunc("POST /upload", func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = fmt.Fprint(w, n)
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(4<<20))
		_, _ = w.Write(make([]byte, 4<<20))
	})
	mux.HandleFunc("/ws", func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = ws.CloseNow() }()
		for {
			kind, text, err := ws.Read(r.Context())
			if err != nil || ws.Write(r.Context(), kind, text) != nil {
				return
			}
		}
	})
	shop := httptest.NewServer(mux)
	t.Cleanup(shop.Close)
	return shop.URL
}

// come lets the whole traffic come to a front door.
func (l load) come(tr *traffic) {
	get := func(target string) func(context.Context) *http.Request {
		return func(ctx context.Context) *http.Request { return tr.request(ctx, http.MethodGet, target, nil) }
	}
	upload := func(ctx context.Context) *http.Request {
		return tr.request(ctx, http.MethodPost, "/upload", &slowly{left: pieces, over: 2 * time.Second})
	}
	var buyer atomic.Int64
	buy := func(ctx context.Context) *http.Request {
		req := tr.request(ctx, http.MethodPost, buyPath, strings.NewReader("qty=1"))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.AddCookie(&http.Cookie{Name: "session", Value: fmt.Sprint("buyer-", buyer.Add(1))})
		return req
	}
	tr.crowd("GET, kept", 30, l.perSecond*0.35, tr.kept(get("/")))
	tr.crowd("GET, new connections", 20, l.perSecond*0.1, tr.fresh(0, get("/")))
	for range 3 {
		tr.crowd("GET, HTTP/2", 10, l.perSecond*0.13, tr.many(get("/")))
	}
	tr.crowd("product page, HTTP/2", 5, l.perSecond*0.06, tr.many(get(productPath)))
	tr.crowd("buy, kept", 5, l.perSecond*0.05, tr.kept(buy))
	tr.crowd("buy, HTTP/2", 5, l.perSecond*0.05, tr.many(buy))
	tr.crowd("upload, kept", 5, 2, tr.kept(upload))
	tr.crowd("upload, HTTP/2", 5, 2, tr.many(upload))
	tr.crowd("slow download", l.downloads, float64(l.downloads)/5, tr.fresh(1<<20, get("/large")))
	tr.sockets(l.sockets)
}

// busy is a shop behind edges of real stores, with a sale that is open.
type busy struct {
	t     *testing.T
	dir   string
	o     operator
	roots *x509.CertPool
}

func openBusy(t *testing.T, edges int) (*busy, []*server) {
	t.Helper()
	b := &busy{t: t, dir: t.TempDir(), roots: x509.NewCertPool()}
	sales := filepath.Join(b.dir, "sales")
	saleFile{opens: time.Now().Add(-time.Minute).Truncate(time.Second), open: time.Hour, stock: 100_000, rate: 1000, burst: 1000, hold: 10 * time.Minute}.write(t, sales)
	b.o = operator{everybody: true, name: "worker", sales: sales, origin: busyShop(t), redis: testserver.StartRedis(t).URL, postgres: testserver.StartPostgres(t).URL}
	worker := newWorker(t, filepath.Join(b.dir, "worker"), b.o)
	worker.start(t)
	b.o.worker = worker.address
	var all []*server
	for i := range edges {
		e := newEdge(t, filepath.Join(b.dir, fmt.Sprint("edge-", i)), b.o)
		e.start(t)
		e.trust(t, b.roots)
		all = append(all, e)
	}
	for _, e := range all {
		eventually(t, "the sale is open", func() bool {
			nobody := newBrowser(b.roots, "", false)
			defer nobody.close()
			a, err := nobody.ask(t.Context(), e.address, http.MethodGet, own("status"), "", nil)
			return err == nil && a.State == "open" && a.StockLeft > 0
		})
	}
	return b, all
}

// successor is another instance on the files of one that runs.
func (s *server) successor(t *testing.T) *server {
	t.Helper()
	next := &server{address: s.address, config: s.config, ready: s.ready}
	next.Program = testserver.NewProgram(t, func() bool {
		log := next.Log()
		return strings.Contains(log, "serving in the place") && answers(s.ready)
	}, program("waitroom"), "run", "--config", s.config)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("what a successor complained of:\n%s", complaints(next.Log()))
		}
	})
	return next
}

// complaints are the lines of a log that are warnings or worse.
func complaints(log string) string {
	var found []string
	for line := range strings.Lines(log) {
		if !strings.Contains(line, `"level":"info"`) {
			found = append(found, line)
		}
	}
	return strings.Join(found, "")
}

// TestTakeover_NothingFails: an edge is replaced again and again while its shop is
// busy, and nobody notices.
func TestTakeover_NothingFails(t *testing.T) {
	l := loads()
	b, edges := openBusy(t, 1)
	edge := edges[0]
	ctx, stop := context.WithCancel(t.Context())
	tr := newTraffic(t, ctx, edge.address, b.roots)
	begun := time.Now()
	l.come(tr)
	health := &http.Client{Timeout: asking, Transport: &http.Transport{DisableKeepAlives: true}}
	tr.crowd("health", 1, 10, func() func(context.Context) error {
		return func(context.Context) error {
			res, err := health.Get(edges[0].ready)
			if err != nil {
				return err
			}
			return read(res, 0)
		}
	})
	for range l.turns {
		pause(ctx, l.each)
		next := edge.successor(t)
		if err := next.Start(); err != nil {
			t.Error(err)
			break
		}
		ended := time.Now()
		if code, err := edge.Wait(40 * time.Second); code != 0 || err != nil {
			t.Errorf("the one that left ended with %d, %v, want 0; its log:\n%s", code, err, tail(edge.Log(), 10))
		}
		t.Logf("taken over; the old one drained in %v", time.Since(ended).Round(10*time.Millisecond))
		edge = next
	}
	pause(ctx, l.each)
	took := time.Since(begun)
	stop()
	tr.report(took)
	noCuts(t, edge)
}

// noCuts looks for what a drain had to cut.
func noCuts(t *testing.T, edges ...*server) {
	t.Helper()
	for _, e := range edges {
		if strings.Contains(e.Log(), "connections cut") {
			t.Errorf("an edge cut connections")
		}
	}
}

// TestRestart_BehindABalancer: one of two edges is stopped and started, in turn,
// behind a balancer that asks for their health.
func TestRestart_BehindABalancer(t *testing.T) {
	l := loads()
	b, edges := openBusy(t, 2)
	ctx, stop := context.WithCancel(t.Context())
	balancer := newBalancer(t, edges)
	tr := newTraffic(t, ctx, balancer, b.roots)
	begun := time.Now()
	l.come(tr)
	for i := range l.turns {
		pause(ctx, l.each)
		edge := edges[i%len(edges)]
		ended := time.Now()
		if err := edge.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if code, err := edge.Wait(40 * time.Second); code != 0 || err != nil {
			t.Errorf("after SIGTERM it ended with %d, %v, want 0", code, err)
		}
		t.Logf("drained in %v", time.Since(ended).Round(10*time.Millisecond))
		noCuts(t, edge)
		edge.start(t)
	}
	pause(ctx, l.each)
	took := time.Since(begun)
	stop()
	tr.report(took)
}

// newBalancer carries bytes to the edges that say that they are ready, in turn.
func newBalancer(t *testing.T, edges []*server) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	t.Cleanup(func() { stop(); _ = l.Close(); all.Wait() })
	healthy := make([]atomic.Bool, len(edges))
	for i, e := range edges {
		healthy[i].Store(true)
		all.Go(func() {
			for pause(ctx, 200*time.Millisecond) {
				healthy[i].Store(answers(e.ready))
			}
		})
	}
	all.Go(func() {
		for turn := 0; ; turn++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { carry(ctx, c, edges, healthy, turn) })
		}
	})
	return l.Addr().String()
}

// carry is one connection through the balancer.
func carry(ctx context.Context, c net.Conn, edges []*server, healthy []atomic.Bool, turn int) {
	defer c.Close()
	for i := range edges {
		n := (turn + i) % len(edges)
		if !healthy[n].Load() {
			continue
		}
		to, err := net.Dial("tcp", edges[n].address)
		if err != nil {
			continue
		}
		defer to.Close()
		defer context.AfterFunc(ctx, func() { _ = c.Close(); _ = to.Close() })()
		var both sync.WaitGroup
		for _, way := range [][2]net.Conn{{c, to}, {to, c}} {
			both.Go(func() {
				_, _ = io.Copy(way[1], way[0])
				_ = way[1].(*net.TCPConn).CloseWrite()
			})
		}
		both.Wait()
		return
	}
}

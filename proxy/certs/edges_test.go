package certs_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy/certs"
)

// What certmagic knows of an order that is under way, the whole process knows.
// So edges that share nothing but Redis are processes: this program, told by its
// environment to be one.
const beEdge = "WAITROOM_TEST_EDGE"

func TestMain(m *testing.M) {
	if text := os.Getenv(beEdge); text != "" {
		if err := edge(text); err != nil {
			_, _ = io.WriteString(os.Stderr, err.Error()+"\n")
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// terms are what an edge is told.
type terms struct {
	TLS     configs.TLS
	Listen  configs.Listen
	DataDir string
	Redis   string
}

// edge serves until SIGTERM.
func edge(text string) error {
	var told terms
	if err := json.Unmarshal([]byte(text), &told); err != nil {
		return err
	}
	cfg := configs.Config{TLS: told.TLS, Listen: told.Listen, DataDir: told.DataDir, Secrets: []configs.Secret{configs.NewSecret(secret)}}
	o, err := redis.ParseURL(told.Redis)
	if err != nil {
		return err
	}
	o.MaxRetries, o.ContextTimeoutEnabled = -1, true
	rdb := redis.NewClient(o)
	log, err := zap.NewDevelopment()
	if err != nil {
		return err
	}
	k, err := certs.NewWith(&cfg, rdb, prometheus.NewRegistry(), log, certs.Fast())
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	for address, h := range map[string]http.Handler{
		cfg.Listen.HTTPS: http.NotFoundHandler(), cfg.Listen.HTTP: k.Challenges(http.NotFoundHandler()),
	} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		if address == cfg.Listen.HTTPS {
			l = tls.NewListener(l, k.TLS())
		}
		server := &http.Server{Handler: h, ErrorLog: zap.NewStdLog(zap.NewNop())}
		go func() { _ = server.Serve(l) }()
	}
	if err := k.Run(ctx); err != nil {
		return err
	}
	return rdb.Close()
}

// an address pair at which an edge may serve.
func free(t *testing.T) configs.Listen {
	t.Helper()
	return configs.Listen{HTTPS: testserver.FreeAddress(t), HTTP: testserver.FreeAddress(t)}
}

// startEdge starts an edge as a process.
func startEdge(t *testing.T, cfg configs.Config, at configs.Listen, url string) *testserver.Program {
	t.Helper()
	text, err := json.Marshal(terms{cfg.TLS, at, dataDir(t), url})
	must(t, err)
	p := testserver.NewProgram(t, testserver.Listens(at.HTTPS), "/usr/bin/env", beEdge+"="+string(text), os.Args[0])
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(p.Log())
		}
	})
	must(t, p.Start())
	return p
}

// spread sends each connection to an address to the next of others, as a balancer
// does.
func spread(t *testing.T, address string, over []string) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	must(t, err)
	var all sync.WaitGroup
	var turn atomic.Int64
	carry := func(client net.Conn) {
		defer func() { _ = client.Close() }()
		server, err := net.DialTimeout("tcp", over[int(turn.Add(1))%len(over)], time.Second)
		if err != nil {
			return
		}
		defer func() { _ = server.Close() }()
		all.Go(func() { _, _ = io.Copy(server, client); _ = server.Close() })
		_, _ = io.Copy(client, server)
	}
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { carry(client) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); all.Wait() })
}

func served(address string) string {
	s := &stand{https: address, t: &testing.T{}}
	return s.serial(shop)
}

// TestThreeEdges: three that start at once make one order, whichever of them the
// issuer asks for the proofs; all serve its certificate, and one that comes later
// does so without an issuer.
func TestThreeEdges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		secure, plain bool // where the issuer finds somebody
		orders        int  // at most: the challenge that nobody answers may come first
	}{
		"TLS-ALPN-01": {true, false, 2}, "HTTP-01": {false, true, 2}, "both": {true, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issuer := testserver.Pebble(t, long)
			url := testserver.Redis(t)
			cfg := ordering(t, issuer, shop)
			at := []configs.Listen{free(t), free(t), free(t)}
			if test.plain {
				spread(t, issuer.HTTP, []string{at[0].HTTP, at[1].HTTP, at[2].HTTP})
			}
			if test.secure {
				spread(t, issuer.TLS, []string{at[0].HTTPS, at[1].HTTPS, at[2].HTTPS})
			}
			gate := vault(t, testserver.EdgeClient(t, url), time.Minute, secret)
			must(t, gate.Lock(t.Context(), "issue_cert_"+shop)) // until all are there
			for _, a := range at {
				startEdge(t, cfg, a, url)
			}
			must(t, gate.Unlock(t.Context(), "issue_cert_"+shop))
			until(t, "a certificate at each", patient, func() bool {
				got := served(at[0].HTTPS)
				return got != "" && got == served(at[1].HTTPS) && got == served(at[2].HTTPS)
			})
			if got := issuer.Orders(); got > test.orders {
				t.Errorf("%d orders, want %d at most", got, test.orders)
			}
			issuer.Judge(func(*http.Request) testserver.Mood { return testserver.Mood{Hang: true} })
			later := free(t)
			startEdge(t, cfg, later, url)
			until(t, "the stored certificate", 5*time.Second, func() bool { return served(later.HTTPS) == served(at[0].HTTPS) })
		})
	}
}

// TestStoppedMidOrder: SIGTERM while an issuer takes its time lets go of the lock;
// after a crash its lease runs out. Either way the next edge orders.
func TestStoppedMidOrder(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *testserver.Program){
		"SIGTERM": func(t *testing.T, p *testserver.Program) {
			must(t, p.Signal(syscall.SIGTERM))
			if code, err := p.Wait(8 * time.Second); err != nil || code != 0 {
				t.Errorf("it ended with %d, %v\n%s", code, err, p.Log())
			}
		},
		"crash": func(_ *testing.T, p *testserver.Program) { p.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issuer := testserver.Pebble(t, long)
			issuer.Judge(func(r *http.Request) testserver.Mood { return testserver.Mood{Hang: r.URL.Path == "/order-plz"} })
			url := testserver.Redis(t)
			rdb := testserver.EdgeClient(t, url)
			cfg := ordering(t, issuer, shop)
			first := startEdge(t, cfg, free(t), url)
			until(t, "an order", patient, func() bool { return issuer.Orders() > 0 })
			if got := rdb.HLen(t.Context(), certs.LocksKey).Val(); got == 0 {
				t.Error("no lock is held while there is an order")
			}
			end(t, first)
			if got := rdb.HLen(t.Context(), certs.LocksKey).Val(); name == "SIGTERM" && got != 0 {
				t.Errorf("%d locks are held still: %v", got, rdb.HGetAll(t.Context(), certs.LocksKey).Val())
			}
			issuer.Judge(nil)
			at := free(t)
			spread(t, issuer.TLS, []string{at.HTTPS})
			spread(t, issuer.HTTP, []string{at.HTTP})
			startEdge(t, cfg, at, url)
			until(t, "a certificate", patient, func() bool { return served(at.HTTPS) != "" })
		})
	}
}

// TestThreeEdges_Trouble: three edges whose certificate runs out and whose issuer
// refuses ask it once, and serve what they have.
func TestThreeEdges_Trouble(t *testing.T) {
	t.Parallel()
	issuer := testserver.Pebble(t, long)
	issuer.Judge(func(r *http.Request) testserver.Mood {
		if r.URL.Path != "/order-plz" {
			return testserver.Mood{}
		}
		return testserver.Mood{Status: http.StatusTooManyRequests, Retry: time.Hour}
	})
	url := testserver.Redis(t)
	cfg := ordering(t, issuer, shop)
	want := lie(t, testserver.EdgeClient(t, url), cfg.TLS.CA, shop, 20*24*time.Hour).SerialNumber.String()
	at := []configs.Listen{free(t), free(t), free(t)}
	for i, a := range at {
		edge := startEdge(t, cfg, a, url)
		until(t, fmt.Sprintf("an attempt of edge %d, or a pause", i), patient, func() bool {
			log := edge.Log()
			return strings.Contains(log, "so it was wanted") || strings.Contains(log, "orders pause")
		})
	}
	for _, a := range at {
		if got := served(a.HTTPS); got != want {
			t.Errorf("served %q, want %q, which is stored", got, want)
		}
	}
	if got := issuer.Orders(); got != 1 {
		t.Errorf("%d orders, want 1", got)
	}
}

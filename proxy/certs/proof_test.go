package certs_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy/certs"
)

// commands counts what an edge asks Redis.
type commands struct {
	mu    sync.Mutex
	named map[string]int
}

func (c *commands) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *commands) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (c *commands) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.mu.Lock()
		c.named[cmd.Name()]++
		c.mu.Unlock()
		return next(ctx, cmd)
	}
}

func (c *commands) count(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.named[name]
}

// TestProof_Strangers: however often strangers ask for proofs, the issuer gets them,
// at the first order; and Redis hears little of it, also when nobody orders.
func TestProof_Strangers(t *testing.T) {
	t.Parallel()
	const domain = "strangers.example.com"
	issuer := testserver.Pebble(t, long)
	cfg := ordering(t, issuer, domain)
	cfg.Listen.HTTP = issuer.HTTP
	asked := &commands{named: map[string]int{}}
	rdb := testserver.EdgeClient(t, testserver.Redis(t))
	rdb.AddHook(asked)
	gate := vault(t, rdb, time.Minute, secret)
	must(t, gate.Lock(t.Context(), "issue_cert_"+domain)) // until strangers ask

	s := play(t, plot{cfg: cfg, rdb: rdb})
	ctx, stop := context.WithCancel(t.Context())
	var strangers sync.WaitGroup
	defer strangers.Wait()
	defer stop()
	for range 8 {
		strangers.Go(func() {
			for ctx.Err() == nil {
				wrongToken(ctx, t, cfg.Listen.HTTP, domain)
			}
		})
	}
	strangers.Go(func() {
		for ctx.Err() == nil {
			_, _ = s.dial(&tls.Config{ServerName: domain, NextProtos: []string{certs.ALPN}})
		}
	})
	time.Sleep(2 * time.Second) // of strangers alone
	if got := asked.count("hkeys"); got > 12 {
		t.Errorf("Redis was asked %d times in two seconds, want 8 or so", got)
	}
	must(t, gate.Unlock(t.Context(), "issue_cert_"+domain))
	until(t, "a certificate", patient, func() bool { return s.peer(domain) != nil })
	if orders, failed := issuer.Orders(), s.metric("waitroom_certificate_orders_failed_total", domain); orders != 1 || failed != 0 {
		t.Errorf("%d orders and %v in vain, want 1 and 0", orders, failed)
	}
}

// wrongToken asks for a proof that nobody has; the answer is that of the shop.
func wrongToken(ctx context.Context, t *testing.T, address, domain string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/.well-known/acme-challenge/zzz", nil)
	if err != nil {
		t.Error(err)
		return
	}
	req.Host = net.JoinHostPort(strings.ToUpper(domain), "80")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return // it is over
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusTeapot {
		t.Errorf("a stranger got %s", resp.Status)
	}
}

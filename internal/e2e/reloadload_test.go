package e2e_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/testserver"
)

// changes are one for each key that may change while an edge runs, beside its
// sales: what is written in the place of what, or behind all if of nothing.
var changes = []struct{ key, of, by string }{
	{"tls.domains", "tls: {mode: internal}", "tls: {mode: internal, domains: [localhost, shop.example.com]}"},
	{"tls.mode", "tls: {mode: internal, domains: [localhost, shop.example.com]}", "tls: {mode: files, domains: [localhost], files: [{cert: cert.pem, key: key.pem}]}"},
	{"origin.timeout", "origin: {", "origin: {timeout: 2m, "},
	{"origin.url", "ORIGIN", "NEXT"},
	{"secret", "secret: 'the", "secret: 'another-secret-that-is-the-first-from-now-on-and-the-old-one-is-"},
	{"cache.size", "", "cache: {size: 64MiB}\n"},
	{"cache", "cache: {size: 64MiB}", "cache: off"},
	{"limits.header", "limits: {", "limits: {header: 8KiB, "},
	{"limits.body", "limits: {", "limits: {body: 1GiB, "},
	{"limits.device", "limits: {", "limits: {device: {buy: 7/s}, "},
	{"trusted_proxies", "", "trusted_proxies: [192.0.2.0/24]\n"},
	{"listen.proxy_protocol", "listen: {", "listen: {proxy_protocol: true, "},
	{"identity", "identity: {cookie: session}", "identity: {cookie: account}"},
	{"admin.token", "", "admin: {token: 'one-that-was-not-there-before'}\n"},
	{"worker.max_backlog", "worker: {", "worker: {max_backlog: 77, "},
}

// TestReload_UnderLoad: every key that may change is changed while the shop is
// busy; no request fails, and no connection is lost.
func TestReload_UnderLoad(t *testing.T) {
	l := loads()
	b, edges := openBusy(t, 1)
	edge := edges[0]
	ctx, stop := context.WithCancel(t.Context())
	tr := newTraffic(t, ctx, edge.address, b.roots)
	get := func(ctx context.Context) *http.Request { return tr.request(ctx, http.MethodGet, "/", nil) }
	begun := time.Now()
	const kept, many = 30, 5
	tr.crowd("GET, kept", kept, l.perSecond*0.5, tr.kept(get))
	for range many {
		tr.crowd("GET, HTTP/2", 10, l.perSecond*0.5/many, tr.many(get))
	}
	testserver.WritePair(t, filepath.Dir(edge.config), testserver.SelfSigned(t, "localhost"))
	raw, err := os.ReadFile(edge.config)
	if err != nil {
		t.Fatal(err)
	}
	text, names := string(raw), strings.NewReplacer("ORIGIN", b.o.origin, "NEXT", busyShop(t))
	taken := func() int { return strings.Count(edge.Log(), `"configuration changed"`) }
	for i, c := range changes {
		next := text + c.by
		if c.of != "" {
			next = strings.Replace(text, names.Replace(c.of), names.Replace(c.by), 1)
		}
		if next == text {
			t.Fatalf("%s: %q is not in the file:\n%s", c.key, c.of, text)
		}
		text = next
		writeFile(t, edge.config, text)
		eventually(t, c.key+" is in force", func() bool { return taken() == i+1 })
		pause(ctx, l.each/10)
	}
	took := time.Since(begun)
	stop()
	tr.report(took)
	if got := tr.opened.Load(); got != kept+many {
		t.Errorf("%d connections were opened, want %d that are kept", got, kept+many)
	}
}

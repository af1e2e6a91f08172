package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/proxy"
	"github.com/waitroom/waitroom/queueing"
)

// sale is a real edge whose requests are counted. It is spoken to without TLS,
// on a name that browsers trust all the same.
type sale struct {
	*httptest.Server
	t    *testing.T
	rdb  *redis.Client
	cfg  *configs.Config
	gate *gate.Gate
	edge *proxy.Edge

	mu    sync.Mutex
	asked []string // paths, in order
}

// hold starts an edge whose one sale of so many units opens in so long. Its
// doors are open, and crowd people have entered before anybody can.
func hold(t *testing.T, in time.Duration, units, crowd int) *sale {
	t.Helper()
	s := announce(t, in)
	s.cfg.Sales[0].Admit = configs.Rate{Count: 1, Per: time.Minute} // nobody is called before they were seen to wait
	s.stock(units)
	line := queueing.NewLine(s.rdb, &s.cfg.Sales[0])
	var entering sync.WaitGroup
	for range crowd {
		entering.Go(func() {
			if _, err := line.Enter(context.Background(), queueing.Entry{}); err != nil {
				t.Errorf("enter: %v", err)
			}
		})
	}
	entering.Wait()
	s.start()
	return s
}

// announce has a sale that opens in so long, and nothing that serves it yet.
func announce(t *testing.T, in time.Duration) *sale {
	t.Helper()
	options, err := redis.ParseURL(testserver.MiniURL(testserver.Mini(t)))
	if err != nil {
		t.Fatal(err)
	}
	options.MaxRetries, options.ContextTimeoutEnabled = -1, true
	s := &sale{t: t, rdb: redis.NewClient(options), cfg: load(t)}
	t.Cleanup(func() { _ = s.rdb.Close() })
	one := &s.cfg.Sales[0]
	one.Opens = time.Now().Add(in)
	one.Doors, one.Closes = one.Opens.Add(-time.Hour), one.Opens.Add(time.Hour)
	s.gate = gate.New(s.rdb, one.Key, 1)
	return s
}

func load(t *testing.T) *configs.Config {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sale.yaml": `sale: toy
title: Golden toy
timezone: Europe/Berlin
doors: 2026-01-01 09:30
opens: 2026-01-01 10:00
closes: 2026-01-01 12:00
product_page: /toys/golden
buy: POST /toys/golden/buy
checkout: /checkout?reservation={reservation}
stock: 10
admit: 2/s
`,
		"waitroom.yaml": `listen: {https: "127.0.0.1:0", http: "127.0.0.1:0", admin: "127.0.0.1:0"}
tls: {mode: internal, domains: [localhost]}
origin: {url: "http://127.0.0.1:1"}
secret: "the secret of these tests, which is long"
sales: ["sale.yaml"]
admin: {token: admin-token-of-the-tests}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := configs.Load(filepath.Join(dir, "waitroom.yaml"), os.LookupEnv, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func (s *sale) start() {
	s.t.Helper()
	edge, err := proxy.New(s.cfg, s.rdb, prometheus.NewRegistry(), zap.NewNop())
	if err != nil {
		s.t.Fatal(err)
	}
	s.edge = edge
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := edge.Run(ctx); err != nil {
			s.t.Error(err)
		}
	})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		edge.ServeHTTP(w, r)
	}))
	s.t.Cleanup(func() {
		s.Close()
		stop()
		running.Wait()
	})
	for edge.Ready() != nil {
		<-time.After(10 * time.Millisecond)
	}
}

// open has the draw be held soon: when those are there who have to be, however long that
// took on a busy machine. A seal that a page saw was that of another draw.
func (s *sale) open() {
	s.t.Helper()
	cfg := *s.cfg
	cfg.Sales = slices.Clone(s.cfg.Sales)
	cfg.Sales[0].Opens = time.Now().Add(2 * time.Second)
	serve, err := s.edge.Prepare(&cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	serve()
}

// stock loads the gate anew.
func (s *sale) stock(units int) {
	s.t.Helper()
	if err := s.gate.Close(s.t.Context(), "test"); err != nil {
		s.t.Fatal(err)
	}
	if ok, err := s.gate.Rebuild(s.t.Context(), "test", gate.Contents{Epoch: 1, Total: units}); err != nil || !ok {
		s.t.Fatalf("rebuild gate: %t, %v", ok, err)
	}
}

// private forgets what was asked so far, or gives what was asked since then that
// only one shopper could ask.
func (s *sale) private() (asked []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range s.asked {
		if !strings.HasSuffix(path, "/status") {
			asked = append(asked, path)
		}
	}
	s.asked = nil
	return asked
}

// standing is what the edge says of this window's shopper.
func (w *window) standing() (m struct {
	State         string
	Number, Place uint64
	Ahead         uint64
}) {
	w.t.Helper()
	text := w.Says("fetch('/.waitroom/toy/me').then(a => a.text())")
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		w.t.Fatalf("me says %s: %v", text, err)
	}
	return m
}

// TestSale: through a real edge, from the lottery to one's turn. The place that
// the page found out by itself is the one that the edge knows.
func TestSale(t *testing.T) {
	t.Parallel()
	const crowd = 400 // one in four hundred would be called at once
	s := hold(t, 20*time.Second, 400, crowd)
	w := open(t, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"/.waitroom/toy/line")
	w.Shows(heading, "You are in the draw")
	w.Shows("Object.values(sessionStorage).join()", s.says(t, "commitment"))
	s.private()
	w.Shows(page, "waiting")
	if asked := s.private(); len(asked) != 0 {
		t.Errorf("asked privately to know the place: %v", asked)
	}
	shown := w.Says("document.getElementById('ahead').textContent")
	m := w.standing()
	if m.State != "waiting" || m.Number != crowd {
		t.Errorf("me says %+v, want number %d waiting", m, crowd)
	}
	// A bar of no length is not shown.
	if want := fmt.Sprint(max(m.Place, 1)); w.Says("document.getElementById('meter').max") != want {
		t.Errorf("the page has another place than %s, with %s ahead", want, shown)
	}
	w.Do(chromedp.Focus("#proof summary"), chromedp.KeyEvent(" "))
	w.Shows(verdict, "Everything fits.")
}

// says gives a field of the shared status.
func (s *sale) says(t *testing.T, field string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/.waitroom/toy/status", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "localhost"
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var doc fields
	if err := json.NewDecoder(res.Body).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(doc[field])
}

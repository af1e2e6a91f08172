package proxy_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// reload reads the stage's files again, differing as said, and applies them.
func (s *stage) reload(change func(*configs.Config)) {
	s.t.Helper()
	cfg, err := configs.Load(filepath.Join(s.dir, "waitroom.yaml"), os.LookupEnv, time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	old, one := s.cfg.Sales[0], &cfg.Sales[0]
	one.Doors, one.Opens, one.Closes = old.Doors, old.Opens, old.Closes
	change(cfg)
	if err := s.edge.Apply(cfg); err != nil {
		s.t.Fatal(err)
	}
	s.cfg = cfg
}

// TestReload: what did not change goes on as if nothing had happened, and what
// did is in force at once, with no moment of blindness.
func TestReload(t *testing.T) {
	t.Parallel()
	s := play(t, plot{
		config: "limits: {address: {join: 2/min, request: off}, device: off, account: off}",
		page: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "max-age=3600")
			_, _ = w.Write([]byte("page"))
		},
	})
	b := s.browser().called()
	number := b.own(http.MethodGet, "me").field("number")
	s.browser().join().code(t, "second join", http.StatusCreated)
	b.get("/toys/golden")

	same := func(*configs.Config) {}
	renamed := func(c *configs.Config) { c.Sales[0].Title = "Silver toy" }
	rotated := func(c *configs.Config) {
		renamed(c)
		c.Secrets = []configs.Secret{configs.NewSecret(secretTwo), configs.NewSecret(secretOne)}
	}
	for _, step := range []struct {
		name   string
		change func(*configs.Config)
		title  string
	}{{"the same", same, "Golden toy"}, {"another title", renamed, "Silver toy"}, {"another secret", rotated, "Silver toy"}} {
		s.reload(step.change)
		b.own(http.MethodGet, "status").code(t, step.name, http.StatusOK)
		if err := s.edge.Ready(); err != nil {
			t.Errorf("%s: not ready: %v", step.name, err)
		}
		if got := b.own(http.MethodGet, "status").field("title"); got != step.title {
			t.Errorf("%s: the title is %q, want %q", step.name, got, step.title)
		}
		if got := b.own(http.MethodGet, "me").field("number"); got != number {
			t.Errorf("%s: the number is %q, want %q", step.name, got, number)
		}
		s.browser().join().want(t, step.name+": third join", http.StatusTooManyRequests, "slow_down")
		b.get("/toys/golden").code(t, step.name+": page", http.StatusOK)
	}
	if n := s.shop.asked("/toys/golden"); n != 1 {
		t.Errorf("the page was fetched %d times, want once", n)
	}
	b.buy("").want(t, "buy with a ticket of the old secret", http.StatusCreated, "reserved")

	s.reload(func(c *configs.Config) { rotated(c); c.Limits = configs.Limits{} })
	s.browser().join().code(t, "join without limits", http.StatusCreated)
}

// TestReloadTurnsToAnotherOrigin: from the next request on.
func TestReloadTurnsToAnotherOrigin(t *testing.T) {
	t.Parallel()
	s := play(t, plot{})
	other := openShop(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("other")) },
		func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("other page")) })
	b := s.browser()
	b.get("/toys/golden").code(t, "page", http.StatusOK)
	s.write("waitroom.yaml", lines(`tls: {mode: internal, domains: [`+host+`]}
secret: "`+secretOne+`"
sales: ["sale.yaml"]`, `origin: {url: "`+other.URL+`"}`))
	s.reload(func(*configs.Config) {})
	if got := b.get("/cart").body; got != "other" {
		t.Errorf("got %q, want the other origin's answer", got)
	}
	if got := b.get("/toys/golden").body; got != "other page" {
		t.Errorf("got %q, want the other origin's page", got)
	}
}

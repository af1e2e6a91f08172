package browser_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// narrow has a real edge before a shop that lets one shopper in a minute under /shop, and
// somebody who has just gone in.
func narrow(t *testing.T) (s *sale, address string) {
	t.Helper()
	s = announce(t, time.Hour)
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><link rel="icon" href="data:,"><title>shop</title>`))
	}))
	t.Cleanup(shop.Close)
	origin, err := url.Parse(shop.URL)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"room.yaml": "sale: shop\ntitle: The shop\nroom: /shop\nadmit: 1/min\nmax_active: 1\n",
		"waitroom.yaml": `listen: {https: "127.0.0.1:0", http: "127.0.0.1:0", admin: "127.0.0.1:0"}
tls: {mode: internal, domains: [localhost]}
origin: {url: "` + shop.URL + `"}
secret: "the secret of these tests, which is long"
sales: ["room.yaml"]
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
	s.cfg.Rooms, s.cfg.Origin.URLs = cfg.Rooms, []*url.URL{origin}
	s.stock(10)
	s.start()
	address = strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	open(t, address+"/shop").Shows("document.title", "shop")
	return s, address
}

// choosing presses a language once a page, and tells which one the page is in: what runs no
// script renews itself every few seconds, and a press in that instant goes nowhere.
func choosing(to string) string {
	return `(document.querySelectorAll('.languages [lang="` + to + `"]').forEach(to => window.chosen ||= (to.click(), true)), document.documentElement.lang)`
}

// TestChoiceOfLanguage: with script and without, who waits for a page of a room chooses
// another language in the menu, is back under the very address that was asked for, in the
// same place, and stays with the choice.
func TestChoiceOfLanguage(t *testing.T) {
	t.Parallel()
	const (
		deep   = "/shop/deep?size=42&x=%2F%C3%A4"
		lang   = "document.documentElement.lang"
		number = "document.body.dataset.number"
		here   = "location.pathname + location.search + location.hash"
	)
	s, edge := narrow(t)
	for _, test := range []struct {
		name, address string
		script        bool
	}{
		{"with script", deep + "#reviews", true}, {"without", deep, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &window{chrome.Open(t, "about:blank", "404"), t} // at the end, of no sale
			if !test.script {
				w.WithoutScript()
			}
			w.Goes(edge + "/shop")
			w.Goes(edge + test.address)
			w.Shows(page, "waiting")
			w.Shows(lang, "en")
			place := w.Says(number)
			for _, to := range []string{"de", "ar"} {
				w.Shows(choosing(to), to)
				w.Shows(here, test.address)
				w.Shows(page, "waiting")
				w.Shows(number, place)
			}
			w.Shows("document.documentElement.dir", "rtl")
			w.Goes(edge + "/.waitroom/toy/nothing")
			w.Shows(lang, "ar")
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, asked := range s.asked {
		if asked == http.MethodPost+" /shop" {
			t.Error("something was posted")
		}
	}
}

package e2e_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestTakeover_Embedded: of the books there is one owner at a time, also while a long
// request is under way in the program that leaves. It ends there what asks its gate;
// who comes meanwhile waits, and a sale goes on with its books whole.
func TestTakeover_Embedded(t *testing.T) {
	t.Parallel()
	h := openHouse(t, 10)
	winners := h.shop(0, 3)
	if len(winners) != 3 {
		t.Fatalf("%d of 3 got one", len(winners))
	}
	for _, b := range winners {
		eventually(t, "the order is in the books", func() bool {
			return h.ask(b, http.MethodGet, own("order"), "", nil).Status == "held"
		})
	}
	old, next := h.server, h.successor(t)
	var late sync.WaitGroup
	buyer := newBrowser(h.roots, "account-slow", false)
	defer buyer.close()
	h.ask(buyer, http.MethodPost, own("ticket"), "", struct{}{})
	eventually(t, "it is the turn of who buys slowly", func() bool {
		pause(t.Context(), time.Second) // within the limit of a device, which has to last for the buy
		return h.ask(buyer, http.MethodPost, own("pass"), "", struct{}{}).code == http.StatusOK
	})
	pause(t.Context(), time.Second)
	late.Go(func() { h.slowly(t, http.MethodGet, "/slow", "", nil, http.StatusOK, "the long request") })
	late.Go(func() {
		h.slowly(t, http.MethodPost, buyPath, "qty=1", buyer, http.StatusCreated, "the buy that was under way")
	})
	pause(t.Context(), time.Second)
	ctx, stop := context.WithCancel(t.Context())
	var crowd sync.WaitGroup
	for i := range 4 {
		crowd.Go(func() { h.visit(ctx, t, i) })
	}
	if err := next.Start(); err != nil {
		t.Fatal(err)
	}
	if code, err := old.Wait(10 * time.Millisecond); err == nil {
		t.Errorf("the old one ended with %d, want it to be there for its long request", code)
	}
	if log := next.Log(); strings.Contains(log, "has left") {
		t.Errorf("the old one is said to have left, and is there")
	}
	pause(t.Context(), 2*time.Second)
	stop()
	crowd.Wait()
	late.Wait()
	if code, err := old.Wait(5 * time.Second); code != 0 || err != nil {
		t.Errorf("the one that left ended with %d, %v, want 0; its log:\n%s", code, err, tail(old.Log(), 10))
	}
	eventually(t, "it is said to have left", func() bool { return strings.Contains(next.Log(), "has left") })
	if first, second := epochs(t, old), epochs(t, next); len(first) != 1 || len(second) != 1 || second[0] != first[0]+1 {
		t.Errorf("the gates were built with the epochs %v and %v, want one each, one apart", first, second)
	}
	for _, s := range []*server{old, next} {
		if log := complaints(s.Log()); log != "" {
			t.Errorf("complaints:\n%s", log)
		}
	}
	h.server = next
	eventually(t, "six units are left", func() bool { return h.status().StockLeft == 6 })
	if got := len(h.shop(3, 14)); got != 6 {
		t.Errorf("%d more were sold, want 6", got)
	}
}

// slowly sends a request whose body, if there is one, comes in two halves, and checks
// what it gets.
func (h *house) slowly(t *testing.T, method, path, body string, b *browser, want int, what string) {
	var from io.Reader
	if body != "" {
		half, rest := io.Pipe()
		from = half
		go func() {
			_, _ = io.WriteString(rest, body[:1])
			pause(t.Context(), 3*time.Second)
			_, _ = io.WriteString(rest, body[1:])
			_ = rest.Close()
		}()
	}
	req, err := http.NewRequestWithContext(t.Context(), method, "https://"+h.address+path, from)
	if err != nil {
		t.Error(err)
		return
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	if b == nil {
		b = newBrowser(h.roots, "", false)
		defer b.close()
		b.client.Timeout = 2 * slowPage
	}
	for name, value := range b.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	res, err := b.client.Do(req)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != want {
		t.Errorf("%s got %d, %v, want %d", what, res.StatusCode, err, want)
	}
}

// visit asks for pages of shop and sale, over old connections and new ones, until ctx
// is done; none may fail, whoever answers.
func (h *house) visit(ctx context.Context, t *testing.T, i int) {
	kept := newBrowser(h.roots, "", i%2 == 0)
	defer kept.close()
	for pause(ctx, 50*time.Millisecond) {
		fresh := newBrowser(h.roots, "", i%2 == 1)
		for _, b := range []*browser{kept, fresh} {
			for path, want := range map[string]int{"/": http.StatusFound, own("status"): http.StatusOK, own("order"): http.StatusNotFound} {
				if a, err := b.ask(t.Context(), h.address, http.MethodGet, path, "", nil); err != nil || a.code != want || path == own("status") && a.State != "open" {
					t.Errorf("%s: got %d %s, %v, want %d", path, a.code, a.State, err, want)
				}
			}
		}
		fresh.close()
	}
}

// epochs are those that a program has built a gate with.
func epochs(t *testing.T, s *server) (all []int) {
	t.Helper()
	for line := range strings.Lines(s.Log()) {
		var said struct {
			Msg   string
			Epoch int
		}
		if err := json.Unmarshal([]byte(line), &said); err == nil && said.Msg == "gate built" {
			all = append(all, said.Epoch)
		}
	}
	return all
}

// TestTakeover_FailsBefore: a successor that cannot serve leaves the one that runs
// as it was, and says why.
func TestTakeover_FailsBefore(t *testing.T) {
	t.Parallel()
	b, edges := openBusy(t, 1)
	edge := edges[0]
	raw, err := os.ReadFile(edge.config)
	if err != nil {
		t.Fatal(err)
	}
	other := func(old, by string) string {
		text := strings.Replace(string(raw), old, by, 1)
		if text == string(raw) {
			t.Fatalf("%q is not in the file:\n%s", old, raw)
		}
		return writeFile(t, filepath.Join(filepath.Dir(edge.config), "other.yaml"), text)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, test := range []struct {
		what, old, by string
		want          string
		code          int
	}{
		{"a file that is broken", "name: ", "nam: ", "worker.nam", 2},
		{"a port that is in use", "admin: '" + admin(edge), "admin: '" + taken.Addr().String(), "listen.admin", 1},
	} {
		got := run(t, "waitroom", "run", "--config", other(test.old, test.by))
		if got.code != test.code || !strings.Contains(got.errors, test.want) {
			t.Errorf("%s: ended with %d and said\n%s\nwant %d and %q", test.what, got.code, got.errors, test.code, test.want)
		}
		edge.serves(t, test.what)
	}

	// One that never becomes ready, since its Redis is nowhere, and is ended while it
	// waits: as a crash would, and politely.
	config := other(b.o.redis, "redis://127.0.0.1:1")
	for _, signal := range []os.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		said, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		defer said.Close()
		next := exec.Command(program("waitroom"), "run", "--config", config)
		next.Stderr = said
		if err := next.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it waits to be ready", func() bool {
			log, err := os.ReadFile(said.Name())
			return err == nil && strings.Contains(string(log), "tick failed")
		})
		edge.serves(t, "while another one starts")
		_ = next.Process.Signal(signal)
		if next.Wait() == nil {
			t.Errorf("after %v it ended well, want a fault: it never served", signal)
		}
		edge.serves(t, "after another one was ended")
	}
}

// TestTakeover_EmbeddedFailsBefore: what can be found without the books is found while
// the one that runs still has them.
func TestTakeover_EmbeddedFailsBefore(t *testing.T) {
	t.Parallel()
	h := openHouse(t, 10)
	raw, err := os.ReadFile(h.config)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(h.config)
	writeFile(t, filepath.Join(dir, "junk.pem"), "junk")
	for what, test := range map[string]struct{ by, want string }{
		"a certificate that is none":    {"{mode: files, domains: [localhost], files: [{cert: junk.pem, key: junk.pem}]}", "other.yaml:2:"},
		"nobody who vouches for its CA": {"{mode: acme, domains: [localhost], email: ops@example.com, ca_root: gone.pem}", "tls.ca_root: "},
	} {
		text := strings.Replace(string(raw), "{mode: internal}", test.by, 1)
		got := run(t, "waitroom", "run", "--config", writeFile(t, filepath.Join(dir, "other.yaml"), text))
		if got.code != 2 || !strings.Contains(got.errors, test.want) {
			t.Errorf("%s: ended with %d and said\n%s\nwant 2 with %q", what, got.code, got.errors, test.want)
		}
		h.serves(t, what)
		if s := h.status(); s.State != "open" || s.StockLeft != 10 {
			t.Errorf("%s: the sale is %+v, want it open with 10 units", what, s)
		}
	}
}

func admin(s *server) string {
	return strings.TrimSuffix(strings.TrimPrefix(s.ready, "http://"), "/readyz")
}

// serves checks that an edge is there and ready.
func (s *server) serves(t *testing.T, when string) {
	t.Helper()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	_ = c.Close()
	if !answers(s.ready) {
		t.Errorf("%s: the one that runs is not ready", when)
	}
}

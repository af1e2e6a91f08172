package e2e_test

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTakeover_Embedded: of the books there is one owner, so that the one that ran
// leaves first; who comes meanwhile waits, and a sale goes on with its books whole.
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
	next := h.successor(t)
	asked := make(chan string, 100)
	go func() {
		defer close(asked)
		for range 30 {
			b := newBrowser(h.roots, "", false)
			a, err := b.ask(t.Context(), h.address, http.MethodGet, "/", "", nil)
			b.close()
			if err != nil || a.code != http.StatusFound {
				asked <- strings.TrimSpace(time.Now().Format("15:04:05.000 ") + errorOf(err))
			}
			pause(t.Context(), 100*time.Millisecond)
		}
	}()
	if err := next.Start(); err != nil {
		t.Fatal(err)
	}
	if code, err := h.Wait(time.Second); code != 0 || err != nil {
		t.Errorf("the one that left ended with %d, %v, want 0", code, err)
	}
	for failed := range asked {
		t.Errorf("a request failed: %s", failed)
	}
	h.server = next
	eventually(t, "seven units are left", func() bool { return h.status().StockLeft == 7 })
	if got := len(h.shop(3, 14)); got != 7 {
		t.Errorf("%d more were sold, want 7", got)
	}
}

func errorOf(err error) string {
	if err == nil {
		return "another answer than that of the shop"
	}
	return err.Error()
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

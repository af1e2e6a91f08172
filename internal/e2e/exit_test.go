package e2e_test

import (
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestBadConfiguration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := writeFile(t, filepath.Join(dir, "waitroom.yaml"), `tls: {mode: internall}
origin: {url: 'ftp://127.0.0.1'}
secret: short
sales: ['sales/*.yaml']
colour: red
`)
	writeFile(t, filepath.Join(dir, "sales", "sale.yaml"), strings.Replace(saleFile{
		opens: time.Now().Truncate(time.Second), open: time.Hour, stock: 1, rate: 1, burst: 1, hold: time.Minute,
	}.text(), "stock: 1", "stock: -1", 1))
	for _, args := range [][]string{{"waitroom", "run"}, {"orderworker", "run"}, {"orderworker", "reconcile"}} {
		got := run(t, args[0], append(args[1:], "--config", config)...)
		if got.code != 2 || got.out != "" {
			t.Errorf("%v ended with %d and printed %q, want 2 and nothing", args, got.code, got.out)
		}
		for _, place := range []string{
			"waitroom.yaml:1:13: tls.mode:", "waitroom.yaml:2:15: origin.url:", "waitroom.yaml:3:9: secret:",
			"waitroom.yaml:5:1: colour:", "sale.yaml:10:8: stock:",
		} {
			if !strings.Contains(got.errors, place) {
				t.Errorf("%v: no fault at %q in:\n%s", args, place, got.errors)
			}
		}
	}
	if got := run(t, "waitroom", "run", "--confg", config); got.code != 2 {
		t.Errorf("an unknown flag ended with %d, want 2", got.code)
	}
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, key := range []string{"listen.https", "listen.admin", "worker.listen"} {
		o := operator{https: "127.0.0.1:0", admin: "127.0.0.1:0", worker: "127.0.0.1:0", name: "one", origin: "http://127.0.0.1:1", sales: "sales"}
		switch key {
		case "listen.https":
			o.https = taken.Addr().String()
		case "listen.admin":
			o.admin = taken.Addr().String()
		case "worker.listen":
			o.worker = taken.Addr().String()
		}
		dir := t.TempDir()
		saleFile{opens: time.Now(), open: time.Hour, stock: 1, rate: 1, burst: 1, hold: time.Minute}.write(t, filepath.Join(dir, "sales"))
		got := run(t, "waitroom", "run", "--config", o.write(t, dir))
		if got.code != 1 || !strings.Contains(got.errors, key) || !strings.Contains(got.errors, taken.Addr().String()) {
			t.Errorf("%s in use: ended with %d, want 1 and the key named in:\n%s", key, got.code, got.errors)
		}
	}
}

func TestSignals(t *testing.T) {
	t.Parallel()
	t.Run("one", func(t *testing.T) {
		t.Parallel()
		h := openHouse(t, 1)
		if err := h.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		eventually(t, "/readyz fails", func() bool { return !answers(h.ready) })
		if s := h.status(); s.State != "open" {
			t.Errorf("while it drains the edge says %+v, want open", s)
		}
		if code, err := h.Wait(patience); code != 0 || err != nil {
			t.Errorf("SIGTERM ended with %d, %v, want 0", code, err)
		}
	})
	t.Run("two", func(t *testing.T) {
		t.Parallel()
		h := openHouse(t, 1)
		if err := h.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		eventually(t, "/readyz fails", func() bool { return !answers(h.ready) })
		if err := h.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		// The linger alone would take three seconds.
		if code, err := h.Wait(2 * time.Second); code != 130 || err != nil {
			t.Errorf("a second SIGTERM ended with %d, %v, want 130 at once", code, err)
		}
	})
}

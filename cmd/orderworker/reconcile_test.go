package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/internal/testserver"
)

const (
	operator = "tls: {mode: internal}\norigin: {url: 'http://127.0.0.1:1'}\nsecret: 0123456789abcdef0123456789abcdef\nsales: [sale.yaml]\n"
	sale     = "sale: toy\ntitle: A toy\ntimezone: UTC\ndoors: 2099-11-26 09:30\nopens: 2099-11-26 10:00\ncloses: 2099-11-26 12:00\n" +
		"product_page: /toy\nbuy: POST /toy/buy\ncheckout: /checkout?reservation={reservation}\nstock: 5\nadmit: 5/s\n"
)

// reconciled runs the command on a file that names these stores.
func reconciled(t *testing.T, stores string, args ...string) (code int, out, errs string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"waitroom.yaml": operator + stores, "sale.yaml": sale} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var said, complained strings.Builder
	code = wiring.Execute(t.Context(), newRoot(), append([]string{"reconcile", "--config", filepath.Join(dir, "waitroom.yaml")}, args...), &said, &complained)
	return code, said.String(), complained.String()
}

// TestReconcile_ExitCodes: whether books and gate differ, or nobody knows, a script
// can tell apart. They log into one logger of the process, so one after the other.
func TestReconcile_ExitCodes(t *testing.T) {
	redis, postgres, nobody := testserver.Redis(t), testserver.Postgres(t), testserver.FreeAddress(t)
	stores := func(redis, postgres string) string {
		return "redis: {url: '" + redis + "'}\npostgres: {url: '" + postgres + "'}\nworker: {token: 0123456789abcdef0123456789abcdef}\n"
	}
	for _, test := range []struct {
		name, stores string
		code         int
		out, errs    string // part of the JSON, and of what is said
	}{
		{"no gate yet", stores(redis, postgres), 1, `"agree":false`, "books and gate do not agree"},
		{"Redis away", stores("redis://"+nobody, postgres), 3, `"sale":"toy","error":"`, "refused"},
		{"Postgres away", stores(redis, "postgres://u@"+nobody+"/db"), 3, `"sale":"toy","error":"`, "refused"},
		{"embedded", "", 2, "", "waitroom.yaml: neither redis nor postgres is configured, so the worker runs inside waitroom, ask it there, with worker.token"},
	} {
		code, out, errs := reconciled(t, test.stores, "--json", "--look")
		if code != test.code || !strings.Contains(out, test.out) || !strings.Contains(errs, test.errs) {
			t.Errorf("%s: exit %d, out %q, said %q; want %d, %q and %q", test.name, code, out, errs, test.code, test.out, test.errs)
		}
		var array []map[string]any
		if err := json.Unmarshal([]byte(out), &array); test.code != 2 && (err != nil || len(array) != 1) {
			t.Errorf("%s: out %q is no array of one object: %v", test.name, out, err)
		}
		if strings.Contains(errs, "client of redis") || strings.Contains(errs, "pool.go") {
			t.Errorf("%s: lines of a library are said: %q", test.name, errs)
		}
	}
}

// TestInside: what a worker inside waitroom does, nobody has to ask another for.
func TestInside(t *testing.T) {
	for name, want := range map[string]string{"sweep": "which sweeps each second by itself", "run": "start that alone, or write both"} {
		dir := t.TempDir()
		for name, text := range map[string]string{"waitroom.yaml": operator, "sale.yaml": sale} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var errs strings.Builder
		code := wiring.Execute(t.Context(), newRoot(), []string{name, "--config", filepath.Join(dir, "waitroom.yaml")}, &errs, &errs)
		if code != 2 || !strings.Contains(errs.String(), want) || strings.Contains(errs.String(), "GET ") {
			t.Errorf("%s: exit %d, said %q; want 2 and %q", name, code, errs.String(), want)
		}
	}
}

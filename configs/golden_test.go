package configs_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

var update = flag.Bool("update", false, "write what is got into testdata as what is wanted")

// separator stands between a case's files and what they are to give: all
// faults, or the summary of files without one. Each file follows a line
// "== name"; a case with a waitroom.yaml is loaded whole, any other is a sale.
const separator = "\n======\n"

// now is the instant at which all cases are read, two days before the sales.
var now = time.Date(2026, 11, 25, 9, 30, 0, 0, time.UTC)

func TestGolden(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(cases) < 40 {
		t.Fatalf("got %d cases, %v; want at least 40", len(cases), err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			input, want, _ := strings.Cut(string(text), separator)
			got := outcome(t, input)
			if *update {
				if err := os.WriteFile(name, []byte(input+separator+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// outcome is what a case's files give, without the folder that they were in.
func outcome(t *testing.T, input string) string {
	dir := t.TempDir()
	for _, part := range strings.Split("\n"+input, "\n== ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		write(t, filepath.Join(dir, name), text)
	}
	got := summary(dir)
	return strings.TrimRight(strings.ReplaceAll(got, dir+string(filepath.Separator), ""), "\n") + "\n"
}

func summary(dir string) string {
	if _, err := os.Stat(filepath.Join(dir, "waitroom.yaml")); err == nil {
		c, err := configs.Load(filepath.Join(dir, "waitroom.yaml"), environment, now)
		if err != nil {
			return err.Error()
		}
		return c.Summary(now, nil)
	}
	s, r, err := configs.LoadSaleFile(filepath.Join(dir, "sale.yaml"), now)
	switch {
	case err != nil:
		return err.Error()
	case r != nil:
		return r.Summary()
	}
	return s.Summary(now, nil)
}

// environment is what ${NAME} finds in every test.
func environment(name string) (string, bool) {
	held, ok := map[string]string{
		"WAITROOM_SECRET":       "correct horse battery staple, and then some\n",
		"WAITROOM_ADMIN_TOKEN":  "admin-token-of-the-tests",
		"WAITROOM_WORKER_TOKEN": "worker-token-of-the-tests",
		"REDIS_URL":             "redis://:hunter2@10.0.0.6:6379",
		"DATABASE_URL":          "postgres://shop:hunter2@10.0.0.7:5432/shop",
		"SHOP_JWT_KEY":          "another horse, another battery, another staple",
		"SHORT":                 "hunter2",
		"EMPTY":                 "",
		"SPACED":                "hunter2 hunter2",
	}[name]
	return held, ok
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

package main

import (
	"strings"
	"testing"

	"github.com/waitroom/waitroom/internal/testserver"
)

// A demo whose Redis is not there says so, before any crowd is sent.
func TestDemo_RedisAway(t *testing.T) {
	t.Parallel()
	code, out, errs := command("demo", "--shoppers", "10", "--json",
		"--redis", "redis://"+testserver.FreeAddress(t)+"/0", "--postgres", testserver.Postgres(t))
	if code != 1 || !strings.Contains(errs, "the demo is not ready") || out != "" {
		t.Errorf("exit %d, out %q, said %q; want 1 and that it is not ready", code, out, errs)
	}
}

func TestDemo_RefusesFlags(t *testing.T) {
	t.Parallel()
	for flags, want := range map[string]string{
		"--shoppers -1":              "--shoppers -1",
		"--stock 0":                  "--stock 0",
		"--rate 5":                   "--rate",
		"--shoppers 5 --redis redis": "give both or neither",
		"--json":                     "needs --shoppers",
		"--shopers 5":                "--help tells more",
	} {
		code, _, errs := command(append([]string{"demo"}, strings.Fields(flags)...)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, said %q; want 2 and %q", flags, code, errs, want)
		}
	}
}

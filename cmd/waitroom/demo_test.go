package main

import (
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/internal/demo/crowd"
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
		"--rate 10/h":                `--rate "10/h": 10/h is out of bounds, from 1/min to 100000/s`,
		"--redis foo --postgres bar": "--redis: the scheme is not ",
		"--redis redis://127.0.0.1:1 --postgres bar": "--postgres: the scheme is not ",
	} {
		code, _, errs := command(append([]string{"demo"}, strings.Fields(flags)...)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, said %q; want 2 and %q", flags, code, errs, want)
		}
	}
}

// A demo of half a minute is heard of by a dozen lines, not by each half second.
func TestDemo_Progress(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := progress{out: &out, opens: 5 * time.Second}
	var tally crowd.Tally
	for since := time.Duration(0); since <= 30*time.Second; since += 500 * time.Millisecond {
		tally.Entered = int64(min(since, 6*time.Second).Seconds()) // then nothing happens
		p.hear(tally, since)
	}
	var at []string
	for line := range strings.Lines(out.String()) {
		at = append(at, strings.Join(strings.Fields(line)[:2], " "))
	}
	if got, want := strings.Join(at, ", "), "2.0s doors, 4.0s doors, 6.0s open, 21.0s open"; got != want {
		t.Errorf("told at %s, want at %s", got, want)
	}
}

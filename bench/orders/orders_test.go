package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// A small sale: every order is written, and the table says so. It judges no
// duration.
func TestRun(t *testing.T) {
	t.Parallel()
	var out, progress bytes.Buffer
	if err := run(t.Context(), strings.Fields("-orders 500 -buckets 3 -rounds 1 -clients 1,2 -pgbench 1s"), &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, &progress)
	}
	for _, want := range []string{
		`(?m)^Postgres: fsync on, full_page_writes on, .*synchronous_commit on`,
		`(?m)^\| \*\*one worker\*\* \| \*\*[1-9]\d*\*\* \| \|$`,
		`(?m)^\| pgbench( at its best)?, 1 client \| [1-9]\d* \| \d+\.\d \|$`,
		`(?m)^\| pgbench( at its best)?, 2 clients \| [1-9]\d* \| \d+\.\d \|$`,
		`(?m)^The worker over pgbench at its best, in 1 round: least`,
	} {
		if !regexp.MustCompile(want).Match(out.Bytes()) {
			t.Errorf("no line like %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", &out)
	}
}

func TestRun_Refuses(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"-orders 0", "-buckets -1", "-rounds 0", "-pgbench 1ms", "-clients 1,x"} {
		err := run(t.Context(), strings.Fields(args), t.Output(), t.Output())
		if err == nil || !strings.Contains(err.Error(), strings.Fields(args)[0]) {
			t.Errorf("%s: got %v, want an error that names the flag", args, err)
		}
	}
}

package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// A small crowd: every column has its figures, and the line's memory does not
// grow with it. It judges no duration.
func TestRun(t *testing.T) {
	t.Parallel()
	var out, progress bytes.Buffer
	if err := run(t.Context(), strings.Fields("-entries 5000 -together 300"), &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, &progress)
	}
	for _, want := range []string{
		`people a second( \| [\d,]+){7}`,
		`calls to Redis \| \d\d \| \d\d \| \d\d \| \d\d \| [\d,]+ \| [\d,]+ \| 5`, // of 300 at most each
		`commands inside Redis \| \d+ \| \d+ \| [1-9]\d,\d+ \| [\d,]+ \| [1-9]\d,\d+ \| [1-9]\d,\d+ \| \d`,
		"memory of the keys \\| \\*\\*\\d{3} bytes\\*\\* \\| \\*\\*\\d{3} bytes\\*\\* \\| \\*\\*[\\d,]+ KiB\\*\\* \\| \\*\\*[\\d,]+ KiB\\*\\* \\| \\*\\*[\\d,]+ bytes\\*\\* \\| \\*\\*[\\d,]+ KiB\\*\\* \\| \\*\\*\\d{3} KiB\\*\\*",
		"`used_memory` after( \\| [\\d,]+ KiB){7}",
	} {
		if !regexp.MustCompile(`(?m)^\| ` + want + ` \|$`).Match(out.Bytes()) {
			t.Errorf("no line like %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", &out)
	}
}

func TestRun_Refuses(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"-entries 0", "-together -1"} {
		err := run(t.Context(), strings.Fields(args), t.Output(), t.Output())
		if err == nil || !strings.Contains(err.Error(), strings.Fields(args)[0]) {
			t.Errorf("%s: got %v, want an error that names the flag", args, err)
		}
	}
}

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

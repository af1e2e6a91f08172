package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A few of each kind: all get the answer that they are to get, and none asks Redis. It
// judges no duration.
func TestRun(t *testing.T) {
	t.Parallel()
	var out, progress bytes.Buffer
	if err := run(t.Context(), []string{"-requests", "400", "-connections", "4", "-many", "400", "-idle", "300ms"}, &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, &progress)
	}
	// Beside ticks tenths are noise; a command for each would be 1.
	for _, kind := range []string{
		"sold out", "sold out, with a ticket", "sold out, as a page", "above a limit", "`me`, waiting", "`me`, hopeless",
		"a buy with a ticket, before its turn", `a ticket that nobody asked for \(.*\)`, "another shop's name", "the shared status",
	} {
		if !regexp.MustCompile(`(?m)^\| ` + kind + ` \| .* \| 0\.[0-4]\d \|$`).Match(out.Bytes()) {
			t.Errorf("no line of %s that asks Redis nothing", kind)
		}
	}
	if !strings.Contains(out.String(), "400 times sold out") {
		t.Error("nothing is said of a great many")
	}
	if t.Failed() {
		t.Logf("%s", &out)
	}
}

func TestRun_Refuses(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"-requests 0", "-connections 0", "-many -1", "-idle 0s"} {
		err := run(t.Context(), strings.Fields(args), t.Output(), t.Output())
		if err == nil || !strings.Contains(err.Error(), strings.Fields(args)[0]) {
			t.Errorf("%s: got %v, want an error that names the flag", args, err)
		}
	}
}

func TestPrintTable(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	printTable(&out, []result{
		{kind{name: "passed on", peer: true}, cost{100 * time.Microsecond, 200, 0}, cost{200 * time.Microsecond, 300, 0}},
		{kind{name: "no"}, cost{25 * time.Microsecond, 50, 0.001}, cost{100 * time.Microsecond, 60, 0.02}},
		{kind{name: "nginx", nginx: true}, cost{cpu: 10 * time.Microsecond}, cost{}},
	})
	_, got, _ := strings.Cut(out.String(), "|---|---:|---:|---:|---:|---:|---:|---:|\n")
	want := `| passed on | 100 µs | 1.00 | 200 µs | 1.00 | 200 | 300 | 0.00 |
| no | 25 µs | 0.25 | 100 µs | 0.50 | 50 | 60 | 0.02 |
| nginx | 10 µs | 0.10 |  |  |  |  |  |
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

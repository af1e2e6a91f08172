package main

import (
	"bytes"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// A few of everything, at waitroom and at whichever of its peers are installed: all give
// the answers that they are to give. It judges no duration.
func TestRun(t *testing.T) {
	t.Parallel()
	var beside []string
	for _, name := range []string{nginx, haproxy} {
		if _, err := exec.LookPath(name); err == nil {
			beside = append(beside, name)
		}
	}
	var out, progress bytes.Buffer
	args := []string{"-rounds", "1", "-time", "20ms", "-connections", "4", "-idle", "40", "-line", "100", "-peers", strings.Join(beside, ","),
		"-rows", "page-1,soldout-2x4,me-2,pass-2,new-resumed,latency-status,idle-many-2,line"}
	if err := run(t.Context(), args, &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, &progress)
	}
	for _, want := range []string{
		`product page, HTTP/1.1 \| .* \| 0.9 \| .*`,
		`sold out, HTTP/2, 4 streams \| .* \| 0.6 \| .*`,
		"`me` with a valid ticket, HTTP/2 \\| .* \\| 1.2 \\| .*",
		`passed on to a local origin, HTTP/2 \| .* \| 1.1 \| .*`,
		`new connection, resumed, one page \| .*`,
		`40, HTTP/2 \| .*`,
		`shared status, HTTP/2 \| \d+ \| waitroom \| .*`,
		`100 \| .* µs \| .*`,
	} {
		if len(beside) == 0 {
			want = regexp.MustCompile(` \\\| \d\.\d `).ReplaceAllString(want, "")
		}
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
	for _, args := range []string{"-rounds 0", "-time 0s", "-connections 0", "-idle 0", "-line 0", "-rows breakfast", "-peers apache"} {
		err := run(t.Context(), strings.Fields(args), t.Output(), t.Output())
		if err == nil || !strings.Contains(err.Error(), strings.Fields(args)[0]) {
			t.Errorf("%s: got %v, want an error that names the flag", args, err)
		}
	}
}

// TestRatios: to the better one of each round, whichever it is, and to Caddy never.
func TestRatios(t *testing.T) {
	t.Parallel()
	var of = map[string][]figures{}
	for name, all := range map[string][]time.Duration{waitroom: {6, 10, 9}, nginx: {10, 20, 20}, haproxy: {12, 5, 30}, caddy: {1, 1, 1}} {
		for _, cpu := range all {
			of[name] = append(of[name], figures{cpu: cpu})
		}
	}
	cpu := func(f figures) float64 { return float64(f.cpu) }
	if got, want := ratioCells(ratios(of, cpu), 0.9), []string{"0.45", "**0.60**", "2.00", "0.9"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	delete(of, nginx)
	if got, want := ratios(of, cpu), []float64{0.3, 0.5, 2}; !slices.Equal(got, want) {
		t.Errorf("without nginx: got %v, want %v", got, want)
	}
	delete(of, haproxy)
	if got := ratios(of, cpu); got != nil {
		t.Errorf("without both: got %v, want none", got)
	}
}

func TestLengthOf(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]int{
		"HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Length: 17\r\n": 17,
		"HTTP/1.1 200 OK\r\ncontent-length:  0\r\nvary: x\r\n":       0,
		"HTTP/1.1 200 OK\r\nX-Content-Length: 3\r\n":                 -1,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n":          -1,
	} {
		if got := lengthOf([]byte(head)); got != want {
			t.Errorf("%q: got %d, want %d", head, got, want)
		}
	}
}

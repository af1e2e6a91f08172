package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A small crowd in all four situations: everybody gets an answer, and the table
// says so. It judges no duration.
func TestRun(t *testing.T) {
	t.Parallel()
	var out, progress bytes.Buffer
	args := []string{"-shoppers", "50", "-stock", "5", "-arrive", "1s", "-after", "1s", "-hold", "1s"}
	if err := run(t.Context(), args, &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, &progress)
	}
	for _, want := range []string{
		`logins that failed \| 0 of 40 \| 0 of 40 \| 0 of 40 \| 0 of 40 \|`,
		`told yes \|  \| 5 \| 5 \|  \|`,
		`told no \|  \| 45 \| 45 \|  \|`,
		`never answered \|  \| 0 \| 0 \|  \|`,
		// Twenty logins more, to warm up, and in the shop alone two requests of
		// each shopper; waitroom keeps most of the crowd's away, and now and then
		// refreshes the page that it has in its cache.
		`requests that the shop saw \| 6\d \| \d\d \| 160 \| 60 \|`,
		`CPU of waitroom \| \d+\.\d s \| \d+\.\d s \|  \|  \|`,
	} {
		if !regexp.MustCompile(`(?m)^\| ` + want + `$`).Match(out.Bytes()) {
			t.Errorf("no line like %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", &out)
	}
}

func TestRun_Refuses(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"-shoppers 0", "-stock -1", "-rounds 0", "-arrive 1ms", "-hold 0s"} {
		err := run(t.Context(), strings.Fields(args), t.Output(), t.Output())
		if err == nil || !strings.Contains(err.Error(), strings.Fields(args)[0]) {
			t.Errorf("%s: got %v, want an error that names the flag", args, err)
		}
	}
}

func TestPrintRatios(t *testing.T) {
	t.Parallel()
	rounds := make([]round, 4)
	for i := range rounds {
		for s, ms := range []int{doorQuiet: 2, doorCrowd: 4 * (i + 1), aloneCrowd: 400, aloneQuiet: 1} {
			rounds[i][s].login.P99 = time.Duration(ms) * time.Millisecond
		}
	}
	var out bytes.Buffer
	printRatios(&out, rounds)
	want := `| a login's 99th percentile, in 4 rounds | least | median | most |
|---|---:|---:|---:|
| waitroom: a crowd ÷ nobody | 2.0 | 5.0 | 8.0 |
| shop alone: a crowd ÷ nobody | 400.0 | 400.0 | 400.0 |
| a crowd: shop alone ÷ waitroom | 25.0 | 41.7 | 100.0 |
| nobody: waitroom ÷ shop alone | 2.0 | 2.0 | 2.0 |
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0.0 ms", 1234 * time.Microsecond: "1.2 ms", 45678 * time.Microsecond: "46 ms", 2345 * time.Millisecond: "2.3 s",
	} {
		if got := short(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

package main

import (
	"strings"
	"testing"
)

// TestRun measures a little of everything, so that the program is there when it is
// wanted.
func TestRun(t *testing.T) {
	t.Parallel()
	var out, progress strings.Builder
	args := []string{"-reserves", "2000", "-conns", "2", "-pipeline", "8", "-rounds", "1", "-cluster", "-sales", "3"}
	if err := run(t.Context(), args, &out, &progress); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Ratio of reserves a second, gate ÷ redis-benchmark: least ", "| one bucket | ", "| 10 buckets, anonymous | ", "all 100 were sold in 3 of them"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, &out)
		}
	}
	for _, args := range [][]string{{"-reserves", "0"}, {"-odd"}} {
		if err := run(t.Context(), args, &out, &progress); err == nil {
			t.Errorf("%v: want an error", args)
		}
	}
}

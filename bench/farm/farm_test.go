package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// A small crowd: every defence holds what it promises, and costs whom it is said to
// cost.
func TestRun(t *testing.T) {
	t.Parallel()
	var out, progress bytes.Buffer
	if err := run(t.Context(), strings.Fields("-honest 2000 -farm 1000 -doors 2m -seed 3"), &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, &progress)
	}
	for _, want := range []string{
		`none \| in 10 blocks \| 1000 \|`,
		"`address.join: 300/min` \\| 1 address \\| (89\\d|900) \\|", // a full bucket, and two minutes
		"`block: {join: 10/min, burst: 200}` \\| in 1 block \\| 2(19|20) \\|",
		"`block: {join: 1/min, burst: 50}` \\| in 10 blocks \\| 5(10|20) \\|",
		`one ticket an account \| 500 accounts \| 500 \|`,
		"`proof` \\| a program that solves nothing \\| 0 \\| 0.0 % \\| 0.0 % \\|",
		"`least_time: 2s` \\| one that waits \\| 1000 \\|",
		`the wider cap, .* \| 10 blocks, 500 accounts, 10 machines \| 500 \|`,
	} {
		if !regexp.MustCompile(`(?m)^\| ` + want).Match(out.Bytes()) {
			t.Errorf("no line like %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", &out)
	}
}

func TestRun_Refuses(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"-honest 0", "-farm 0", "-doors 1s"} {
		if err := run(t.Context(), strings.Fields(args), t.Output(), t.Output()); err == nil || !strings.Contains(err.Error(), strings.Fields(args)[0]) {
			t.Errorf("%s: got %v, want an error that names the flag", args, err)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

// A small crowd in all situations: with as many at the shop as it can work on, the
// checkouts of who holds a reservation get there, and the shop is not piled up. It
// judges no duration.
func TestMeasureAll(t *testing.T) {
	t.Parallel()
	o := options{workers: 2, service: 100 * time.Millisecond, span: 4 * time.Second, times: 10, programs: t.TempDir()}
	if err := build(t.Context(), o.programs); err != nil {
		t.Fatal(err)
	}
	all, err := measureAll(t.Context(), o, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	bound, none := all[2], all[3]
	if got := bound.checkouts; len(got.took) < got.all()-got.all()/2 {
		t.Errorf("%d of %d checkouts were answered by the shop", len(got.took), got.all())
	}
	if bound.others.turned == 0 {
		t.Error("nobody of the crowd was told to come back: there was none")
	}
	if bound.most >= none.most {
		t.Errorf("%d were at the shop at once, and %d without a bound", bound.most, none.most)
	}
	var out bytes.Buffer
	printTable(&out, all)
	for _, row := range rows {
		if !strings.Contains(out.String(), "| "+row.name+" |") {
			t.Errorf("no line %q", row.name)
		}
	}
}

func TestRun_Refuses(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"-workers 0", "-service 1us", "-span 1ms", "-times -1"} {
		err := run(context.Background(), strings.Fields(args), os.Stderr, os.Stderr)
		if err == nil || !strings.Contains(err.Error(), strings.Fields(args)[0]) {
			t.Errorf("%s: got %v, want an error that names the flag", args, err)
		}
	}
}

// TestQuantile: who got no answer of the shop counts as the slowest.
func TestQuantile(t *testing.T) {
	t.Parallel()
	s := seen{took: []time.Duration{1, 2, 3, 4, 5, 6, 7, 8, 9}, turned: 1}
	if got := s.quantile(0.5); got != 6 {
		t.Errorf("got %d, want 6", got)
	}
	if got := s.quantile(0.99); got != patience {
		t.Errorf("got %d, want %d", got, patience)
	}
}

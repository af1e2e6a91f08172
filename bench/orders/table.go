package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

func (r result) print(w io.Writer) {
	say(w, "Postgres: %s.\n", r.settings)
	say(w, "| writes | orders a second | worker ÷ it |\n|---|---:|---:|")
	say(w, "| **one worker** | **%.0f** | |", r.worker)
	for _, f := range r.pgbench {
		row := fmt.Sprintf("| pgbench, %d clients | %.0f | %.1f |", f.clients, f.tps, r.worker/f.tps)
		if f == r.best() {
			row = strings.Replace(row, "| pgbench", "| pgbench at its best", 1)
		}
		say(w, "%s", row)
	}
	say(w, "")
}

// printRatios sums the rounds up.
func printRatios(w io.Writer, ratios []float64) {
	slices.Sort(ratios)
	say(w, "The worker over pgbench at its best, in %d rounds: least %.1f, median %.1f, most %.1f.",
		len(ratios), ratios[0], ratios[len(ratios)/2], ratios[len(ratios)-1])
}

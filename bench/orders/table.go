package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/waitroom/waitroom/bench/internal/command"
)

func (r result) print(w io.Writer) {
	command.Say(w, "Postgres: %s.\n", r.settings)
	command.Say(w, "| writes | orders a second | worker ÷ it |\n|---|---:|---:|")
	command.Say(w, "| **one worker** | **%.0f** | |", r.worker)
	for _, f := range r.pgbench {
		row := fmt.Sprintf("| pgbench, %s | %.0f | %.1f |", command.Count(f.clients, "client"), f.tps, r.worker/f.tps)
		if f == r.best() {
			row = strings.Replace(row, "| pgbench", "| pgbench at its best", 1)
		}
		command.Say(w, "%s", row)
	}
	command.Say(w, "")
}

// printRatios sums the rounds up.
func printRatios(w io.Writer, ratios []float64) {
	slices.Sort(ratios)
	command.Say(w, "The worker over pgbench at its best, in %s: least %.1f, median %.1f, most %.1f.",
		command.Count(len(ratios), "round"), ratios[0], ratios[len(ratios)/2], ratios[len(ratios)-1])
}

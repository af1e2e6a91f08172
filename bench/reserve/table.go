package main

import (
	"io"
	"slices"

	"github.com/waitroom/waitroom/bench/internal/command"
)

// printRounds writes what was seen in each round, and how the two compare within
// a round.
func printRounds(out io.Writer, rounds []round) {
	command.Say(out, "| round | the gate, a second | redis-benchmark, a second | gate ÷ redis-benchmark | CPU of Redis a reserve, gate | redis-benchmark |\n|---:|---:|---:|---:|---:|---:|")
	var speeds, costs []float64
	for i, r := range rounds {
		speeds = append(speeds, r.gate.perSecond()/r.raw.perSecond())
		costs = append(costs, float64(r.raw.each())/float64(r.gate.each()))
		command.Say(out, "| %d | %.0f | %.0f | %.2f | %v | %v |", i+1, r.gate.perSecond(), r.raw.perSecond(), speeds[i], r.gate.each(), r.raw.each())
	}
	command.Say(out, "")
	for _, one := range []struct {
		what   string
		ratios []float64
	}{
		{"reserves a second, gate ÷ redis-benchmark", speeds},
		{"reserves for the same CPU of Redis, gate ÷ redis-benchmark", costs},
	} {
		slices.Sort(one.ratios)
		n := len(one.ratios)
		command.Say(out, "Ratio of %s: least %.2f, median %.2f, most %.2f.", one.what, one.ratios[0], (one.ratios[(n-1)/2]+one.ratios[n/2])/2, one.ratios[n-1])
	}
}

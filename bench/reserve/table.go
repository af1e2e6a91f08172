package main

import (
	"io"
	"slices"
)

func printRounds(out io.Writer, rounds []round) {
	say(out, "| round | the gate, a second | redis-benchmark, a second | gate ÷ redis-benchmark | CPU of Redis, gate | redis-benchmark |\n|---:|---:|---:|---:|---:|---:|")
	var ratios []float64
	for i, r := range rounds {
		ratio := r.gate.perSecond() / r.raw.perSecond()
		ratios = append(ratios, ratio)
		say(out, "| %d | %.0f | %.0f | %.2f | %.2f s | %.2f s |", i+1, r.gate.perSecond(), r.raw.perSecond(), ratio, r.gate.cpu.Seconds(), r.raw.cpu.Seconds())
	}
	slices.Sort(ratios)
	say(out, "\nRatio: least %.2f, median %.2f, most %.2f.", ratios[0], ratios[len(ratios)/2], ratios[len(ratios)-1])
}

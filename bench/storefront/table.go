package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/waitroom/waitroom/bench/internal/command"
)

// rows are what the table says about each situation.
var rows = []struct {
	name  string
	value func(result) string
}{
	{"a checkout, median", func(r result) string { return short(r.checkouts.quantile(0.5)) }},
	{"a checkout, 99th percentile", func(r result) string { return "**" + short(r.checkouts.quantile(0.99)) + "**" }},
	{"checkouts that got no answer of the shop", func(r result) string {
		return fmt.Sprintf("**%d of %d**", r.checkouts.turned+r.checkouts.failed, r.checkouts.all())
	}},
	{"everybody else, answers of the shop a second", ofCrowd(func(r result) string {
		return fmt.Sprintf("%.0f", float64(len(r.others.took))/r.others.span.Seconds())
	})},
	{"of those, median", ofCrowd(func(r result) string {
		if len(r.others.took) == 0 {
			return ""
		}
		return short(r.others.took[len(r.others.took)/2])
	})},
	{"told to come back in a moment", ofCrowd(func(r result) string { return fmt.Sprint(r.others.turned) })},
	{"got no answer, or an error", ofCrowd(func(r result) string { return fmt.Sprint(r.others.failed) })},
	{"requests that the shop saw", func(r result) string { return fmt.Sprint(r.requests) }},
	{"of them at once, at most", func(r result) string { return fmt.Sprint(r.most) }},
}

func ofCrowd(value func(result) string) func(result) string {
	return func(r result) string {
		if !r.crowd {
			return ""
		}
		return value(r)
	}
}

// printTable writes all situations as a table.
func printTable(w io.Writer, all []result) {
	line := func(first string, cell func(result) string) {
		cells := []string{first}
		for _, one := range all {
			cells = append(cells, cell(one))
		}
		command.Say(w, "| %s |", strings.Join(cells, " | "))
	}
	line("", func(r result) string { return "`at_once: " + r.bound + "`, " + r.street })
	line("---", func(result) string { return "---:" })
	for _, row := range rows {
		line(row.name, row.value)
	}
}

// short is a duration with about three digits, in ms or in s.
func short(d time.Duration) string {
	switch ms := float64(d) / float64(time.Millisecond); {
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

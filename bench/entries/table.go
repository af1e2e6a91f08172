package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/waitroom/waitroom/bench/internal/command"
)

// rows are what the table says about each column.
var rows = []struct {
	name  string
	value func(result) string
}{
	{"time", func(r result) string { return fmt.Sprintf("%.1f s", r.took.Seconds()) }},
	{"people a second", func(r result) string { return thousands(perSecond(int64(r.did), r.took)) }},
	{"calls to Redis", func(r result) string { return thousands(r.calls()) }},
	{"calls a second and edge", func(r result) string {
		return thousands(perSecond(r.calls(), r.took) / int64(r.edges))
	}},
	{"commands inside Redis", func(r result) string { return thousands(r.after.inside - r.before.inside) }},
	{"CPU of Redis", func(r result) string { return fmt.Sprintf("%.2f s", (r.after.cpu - r.before.cpu).Seconds()) }},
	{"memory of the keys", func(r result) string { return "**" + size(r.keys) + "**" }},
	{"`used_memory` before", func(r result) string { return size(r.before.memory) }},
	{"`used_memory` after", func(r result) string { return size(r.after.memory) }},
}

// calls are those that clients made: of scripts, or else of a sorted set.
func (r result) calls() int64 {
	return cmp.Or(r.after.calls-r.before.calls, r.after.adds-r.before.adds)
}

func print(w io.Writer, all []result) {
	head, rule := []string{""}, []string{"---"}
	for _, r := range all {
		head, rule = append(head, r.name), append(rule, "---:")
	}
	command.Say(w, "| %s |\n| %s |", strings.Join(head, " | "), strings.Join(rule, " | "))
	for _, row := range rows {
		cells := []string{row.name}
		for _, r := range all {
			cells = append(cells, row.value(r))
		}
		command.Say(w, "| %s |", strings.Join(cells, " | "))
	}
}

func perSecond(n int64, d time.Duration) int64 {
	return int64(float64(n) / max(d, time.Millisecond).Seconds())
}

// thousands writes a number with commas.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func size(n int64) string {
	if n < 10_000 {
		return thousands(n) + " bytes"
	}
	return thousands((n+512)/1024) + " KiB"
}

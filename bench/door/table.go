package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/waitroom/waitroom/bench/internal/command"
)

// round is one result of each situation.
type round [len(situations)]result

// rows are what the table says about each situation.
var rows = []struct {
	name  string
	value func(result) string
}{
	{"a login, median", func(r result) string { return short(r.login.P50) }},
	{"a login, 99th percentile", func(r result) string { return "**" + short(r.login.P99) + "**" }},
	{"logins that failed", func(r result) string { return fmt.Sprintf("%d of %d", r.login.Errors, r.login.Count) }},
	{"told yes", ofCrowd(func(r result) string { return fmt.Sprint(r.seen.Paid + r.seen.Held) })},
	{"told no", ofCrowd(func(r result) string { return fmt.Sprint(r.seen.ToldNo) })},
	{"never answered", ofCrowd(func(r result) string { return fmt.Sprint(r.seen.Unanswered) })},
	{"the request with the no, median", ofCrowd(func(r result) string { return short(r.seen.No.P50) })},
	{"the request with the no, 99th percentile", ofCrowd(func(r result) string { return short(r.seen.No.P99) })},
	{"the crowd was there for", ofCrowd(func(r result) string { return short(r.seen.Elapsed) })},
	{"requests that the shop saw", func(r result) string { return fmt.Sprint(r.requests) }},
	{"CPU of the shop", func(r result) string { return seconds(r.cpu.shop) }},
	{"CPU of Postgres", func(r result) string { return seconds(r.cpu.postgres) }},
	{"CPU of waitroom", ofDoor(func(r result) string { return seconds(r.cpu.edge) })},
	{"CPU of orderworker and Redis", ofDoor(func(r result) string { return seconds(r.cpu.worker + r.cpu.redis) })},
}

func ofCrowd(value func(result) string) func(result) string {
	return func(r result) string {
		if !r.crowd {
			return ""
		}
		return value(r)
	}
}

func ofDoor(value func(result) string) func(result) string {
	return func(r result) string {
		if !r.door {
			return ""
		}
		return value(r)
	}
}

// print writes a round as a table, and below it what the crowd could not explain.
func (r round) print(w io.Writer) {
	line := func(first string, cell func(result) string) {
		cells := []string{first}
		for _, one := range r {
			cells = append(cells, cell(one))
		}
		command.Say(w, "| %s |", strings.Join(cells, " | "))
	}
	line("", func(s result) string { return s.shop + ", " + s.street })
	line("---", func(result) string { return "---:" })
	for _, row := range rows {
		line(row.name, row.value)
	}
	command.Say(w, "")
	for _, one := range r {
		for kind, n := range one.seen.Problems {
			command.Say(w, "%s, %s: %d × %s", one.shop, one.street, n, kind)
		}
	}
}

// printRatios says how the 99th percentiles of logins compare within a round.
func printRatios(w io.Writer, rounds []round) {
	command.Say(w, "| a login's 99th percentile, in %s | least | median | most |\n|---|---:|---:|---:|", command.Count(len(rounds), "round"))
	for _, pair := range []struct {
		name        string
		over, under int
	}{
		{"waitroom: a crowd ÷ nobody", doorCrowd, doorQuiet},
		{"shop alone: a crowd ÷ nobody", aloneCrowd, aloneQuiet},
		{"a crowd: shop alone ÷ waitroom", aloneCrowd, doorCrowd},
		{"nobody: waitroom ÷ shop alone", doorQuiet, aloneQuiet},
	} {
		var all []float64
		for _, r := range rounds {
			all = append(all, float64(r[pair.over].login.P99)/float64(r[pair.under].login.P99))
		}
		slices.Sort(all)
		command.Say(w, "| %s | %.1f | %.1f | %.1f |", pair.name, all[0], median(all), all[len(all)-1])
	}
}

// median is the middle of sorted values, or between the two in the middle.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// short is a duration with about three digits, in ms or in s.
func short(d time.Duration) string {
	switch ms := float64(d) / float64(time.Millisecond); {
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	default:
		return seconds(d)
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

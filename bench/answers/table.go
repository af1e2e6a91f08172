package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/waitroom/waitroom/bench/internal/command"
)

// results are the figures of each row, by server, in the order of the rounds.
type results struct {
	rows []row
	of   map[string]map[string][]figures
	rest map[string][]float64 // shares of a core, by server
}

func (r *results) add(of row, got map[string]figures) {
	if r.of[of.name] == nil {
		r.of[of.name] = map[string][]figures{}
	}
	for name, f := range got {
		r.of[of.name][name] = append(r.of[of.name][name], f)
	}
}

// print writes a table for each kind of row that was measured.
func (r *results) print(w io.Writer, names []string) {
	for _, t := range []struct {
		table
		print func(io.Writer, []row, []string)
	}{{answers, r.printAnswers}, {memory, r.printMemory}, {latency, r.printLatency}, {lines, r.printLines}} {
		var some []row
		for _, one := range r.rows {
			if one.table == t.table && r.of[one.name] != nil {
				some = append(some, one)
			}
		}
		if len(some) > 0 {
			t.print(w, some, names)
		}
	}
	for _, name := range names {
		slices.Sort(r.rest[name])
		command.Say(w, "When nobody asks, %s takes %.2f %% of a core, which is taken off.", name, 100*median(r.rest[name]))
	}
}

// head writes the first two lines of a table.
func head(w io.Writer, cells ...string) {
	command.Say(w, "| %s |\n|---|%s", strings.Join(cells, " | "), strings.Repeat("---:|", len(cells)-1))
}

func (r *results) printAnswers(w io.Writer, rows []row, names []string) {
	cells := append([]string{"CPU of an answer"}, names...)
	head(w, append(cells, "least", "**median**", "most", "wanted", "answers a second")...)
	for _, one := range rows {
		of := r.of[one.name]
		cells := []string{one.what}
		for _, name := range names {
			cells = append(cells, micros(middle(of[name], func(f figures) float64 { return float64(f.cpu) })))
		}
		cells = append(cells, ratioCells(ratios(of, func(f figures) float64 { return float64(f.cpu) }), one.most)...)
		var rates []string
		for _, name := range names {
			rates = append(rates, fmt.Sprintf("%.0f", middle(of[name], func(f figures) float64 { return f.rate })))
		}
		command.Say(w, "| %s |", strings.Join(append(cells, strings.Join(rates, ", ")), " | "))
	}
	command.Say(w, "")
}

// ratios are those of waitroom to the better of nginx and HAProxy, round by round; none
// where neither was measured.
func ratios(of map[string][]figures, value func(figures) float64) (all []float64) {
	for i, f := range of[waitroom] {
		best := 0.0
		for _, name := range []string{nginx, haproxy} {
			if i < len(of[name]) && (best == 0 || value(of[name][i]) < best) {
				best = value(of[name][i])
			}
		}
		if best > 0 {
			all = append(all, value(f)/best)
		}
	}
	slices.Sort(all)
	return all
}

// ratioCells are the least, the one in the middle and the most, and what is wanted.
func ratioCells(sorted []float64, most float64) []string {
	if len(sorted) == 0 {
		return []string{"", "", "", ""}
	}
	wanted := ""
	if most > 0 {
		wanted = fmt.Sprintf("%.1f", most)
	}
	return []string{fmt.Sprintf("%.2f", sorted[0]), fmt.Sprintf("**%.2f**", median(sorted)), fmt.Sprintf("%.2f", sorted[len(sorted)-1]), wanted}
}

func (r *results) printMemory(w io.Writer, rows []row, names []string) {
	cells := []string{"an idle connection after a page, KB"}
	for _, name := range names {
		cells = append(cells, name, "kernel")
	}
	head(w, append(cells, "least", "**median**", "most", "wanted")...)
	for _, one := range rows {
		of := r.of[one.name]
		cells := []string{fmt.Sprintf("%d, %s", one.held, one.what)}
		for _, name := range names {
			cells = append(cells, kilobytes(middle(of[name], func(f figures) float64 { return f.rss })), kilobytes(middle(of[name], func(f figures) float64 { return f.kernel })))
		}
		cells = append(cells, ratioCells(ratios(of, func(f figures) float64 { return f.rss }), one.most)...)
		command.Say(w, "| %s |", strings.Join(cells, " | "))
	}
	command.Say(w, "")
}

func (r *results) printLatency(w io.Writer, rows []row, names []string) {
	head(w, "at 70 % of waitroom's own maximum", "a second", "of", "median", "90 %", "**99 %**", "99.9 %", "99 %, least", "most")
	for _, one := range rows {
		of := r.of[one.name]
		for _, name := range names {
			at := func(value func(figures) time.Duration) float64 {
				return middle(of[name], func(f figures) float64 { return float64(value(f)) })
			}
			p99 := sorted(of[name], func(f figures) float64 { return float64(f.p99) })
			command.Say(w, "| %s | %.0f | %s | %s | %s | **%s** | %s | %s | %s |", one.what, middle(of[name], func(f figures) float64 { return f.rate }), name,
				millis(at(func(f figures) time.Duration { return f.p50 })), millis(at(func(f figures) time.Duration { return f.p90 })),
				millis(at(func(f figures) time.Duration { return f.p99 })), millis(at(func(f figures) time.Duration { return f.p999 })),
				millis(p99[0]), millis(p99[len(p99)-1]))
		}
	}
	command.Say(w, "")
}

func (r *results) printLines(w io.Writer, rows []row, _ []string) {
	head(w, "in line", "CPU of an answer", "÷ the shortest line: least", "**median**", "most")
	for _, one := range rows {
		of := r.of[one.name]
		names := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return len(a) - len(b) })
		for _, name := range names {
			var all []float64
			for i, f := range of[name] {
				all = append(all, float64(f.cpu)/float64(of[names[0]][i].cpu))
			}
			slices.Sort(all)
			command.Say(w, "| %s | %s | %.2f | **%.2f** | %.2f |", strings.TrimPrefix(name, "line-"),
				micros(middle(of[name], func(f figures) float64 { return float64(f.cpu) })), all[0], median(all), all[len(all)-1])
		}
	}
	command.Say(w, "")
}

func sorted(all []figures, value func(figures) float64) (values []float64) {
	for _, f := range all {
		values = append(values, value(f))
	}
	slices.Sort(values)
	return values
}

func middle(all []figures, value func(figures) float64) float64 { return median(sorted(all, value)) }

// median is the middle of sorted values, or between the two in the middle.
func median(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func micros(nanoseconds float64) string {
	if nanoseconds < 100_000 {
		return fmt.Sprintf("%.1f µs", nanoseconds/1000)
	}
	return fmt.Sprintf("%.0f µs", nanoseconds/1000)
}

func millis(nanoseconds float64) string {
	if nanoseconds < 10e6 {
		return fmt.Sprintf("%.2f ms", nanoseconds/1e6)
	}
	return fmt.Sprintf("%.0f ms", nanoseconds/1e6)
}

func kilobytes(bytes float64) string { return fmt.Sprintf("%.1f", bytes/1000) }

// tell says in short what the servers did.
func tell(got map[string]figures) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(got)) {
		switch f := got[name]; {
		case f.cpu > 0:
			all = append(all, fmt.Sprintf("%s %s, %.0f/s, %.0f %%", name, micros(float64(f.cpu)), f.rate, 100*f.busy))
		case f.p99 > 0:
			all = append(all, fmt.Sprintf("%s %s", name, millis(float64(f.p99))))
		default:
			all = append(all, fmt.Sprintf("%s %s KB", name, kilobytes(f.rss)))
		}
	}
	return all
}

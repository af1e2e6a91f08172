package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/waitroom/waitroom/bench/internal/command"
)

// errAbove says that more passes were given than the sale allows.
var errAbove = errors.New("passes above the bound")

// The windows of the table.
const (
	long  = time.Second
	short = 100 * time.Millisecond
)

// lines of the table.
var figures = []struct {
	name  string
	value func(row) string
}{
	{"burst", func(r row) string { return fmt.Sprint(r.burst) }},
	{"measured for", func(r row) string { return fmt.Sprintf("%.0f s", r.lasted.Seconds()) }},
	{"edges stopped and started", func(r row) string { return fmt.Sprint(r.away) }},
	{"passes", func(r row) string { return fmt.Sprint(r.counted()) }},
	{"of rate × t", func(r row) string { return fmt.Sprintf("**%.2f %%**", r.share(r.counted(), r.lasted)) }},
	{"allowed, burst + rate × t", func(r row) string { return fmt.Sprintf("%.2f %%", r.share(r.limit.within(r.lasted), r.lasted)) }},
	{"most in any second", func(r row) string { return r.most(long) }},
	{"most in any 100 ms", func(r row) string { return r.most(short) }},
	{"windows above the bound", func(r row) string { return fmt.Sprintf("**%d**", r.above()) }},
	{"most beyond rate × t, any t", func(r row) string { return fmt.Sprintf("%.2f of %d", r.excess(), r.burst) }},
	{"told to ask again", func(r row) string { return fmt.Sprint(r.denied) }},
	{"Redis, script calls a second", func(r row) string { return fmt.Sprintf("%.0f", float64(r.redis.calls)/r.redis.lasted.Seconds()) }},
	{"Redis, CPU of one core", func(r row) string { return fmt.Sprintf("%.0f %%", 100*r.redis.cpu.Seconds()/r.redis.lasted.Seconds()) }},
}

// counted is how many passes count as measured.
func (r row) counted() int { return r.passes.count(r.from, r.from.Add(r.lasted)) }

// excess is how far the passes of any interval went beyond rate × t: burst at
// most.
func (r row) excess() float64 { return r.passes.excess(r.limit.rate, r.stamp) }

// above is how many windows hold more than they may.
func (r row) above() int {
	return r.passes.within(long, r.limit).above + r.passes.within(short, r.limit).above
}

func (r row) most(length time.Duration) string {
	w := r.passes.within(length, r.limit)
	return fmt.Sprintf("**%d** of %d", w.most, w.bound)
}

// print writes the table and below it what is not as it should be. Only passes
// above the bound are an error.
func print(w io.Writer, rows []row) error {
	cells := func(first string, cell func(row) string) {
		text := "| " + first
		for _, r := range rows {
			text += " | " + cell(r)
		}
		command.Say(w, "%s |", text)
	}
	cells("", func(r row) string { return r.rate.String() + ", " + r.through })
	command.Say(w, "| --- |%s", strings.Repeat(" ---: |", len(rows)))
	for _, f := range figures {
		cells(f.name, f.value)
	}
	command.Say(w, "")
	var faults []error
	for _, r := range rows {
		name := r.rate.String() + " through " + r.through
		if n := r.given - len(r.passes); n != 0 {
			command.Say(w, "%s: the line counted %d passes, %d were seen.", name, r.given, len(r.passes))
		}
		if r.failed > 0 {
			command.Say(w, "%s: %d claims got no answer and were made again, the last one: %v.", name, r.failed, r.fault)
		}
		const rounding = 1e-3
		if r.above() > 0 || r.excess() > float64(r.burst)+rounding {
			faults = append(faults, fmt.Errorf("%s: %w", name, errAbove))
		}
	}
	return errors.Join(faults...)
}

package configs

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// A Clash is something about the times of sales that is allowed and seldom meant.
type Clash struct {
	Doors time.Time // of the run in which it is seen first
	Says  string    // in plain words, one line without a full stop

	of string // whose it is and of which kind: told once for all runs
}

// crowded is the time between two doors within which the shop feels both crowds at once.
const crowded = 10 * time.Minute

// Clashes looks at the runs of a Calendar. What is alike about the runs of a repeating
// sale is told once.
func Clashes(runs []Sale) []Clash {
	all := together(runs)
	var near []*Sale // that the doors of a run may still meet
	for i := range runs {
		run := &runs[i]
		all = append(all, oddHours(run)...)
		near = slices.DeleteFunc(near, func(before *Sale) bool {
			return !before.Over().After(run.Doors) && run.Doors.Sub(before.Doors) >= crowded
		})
		for _, before := range near {
			all = append(all, shared(before, run)...)
		}
		near = append(near, run)
	}
	return told(all)
}

// together tells which sales are open when a run opens, and what comes through all of
// them: each keeps its own rate, and the shop behind meets the sum.
func together(runs []Sale) (all []Clash) {
	byOpening := slices.Clone(runs)
	slices.SortStableFunc(byOpening, func(a, b Sale) int { return a.Opens.Compare(b.Opens) })
	var open []*Sale
	for i := range byOpening {
		run := &byOpening[i]
		open = slices.DeleteFunc(open, func(other *Sale) bool { return !other.Closes.After(run.Opens) })
		open = append(open, run)
		if len(open) > 1 {
			all = append(all, openNow(open))
		}
	}
	return all
}

// openNow tells of sales of which the last one has just opened.
func openNow(open []*Sale) Clash {
	run := open[len(open)-1]
	closes, sum := run.Closes, 0.0
	var names []string
	for _, s := range open {
		names, sum = append(names, s.ID), sum+s.Admit.PerSecond()
		if s.Closes.Before(closes) {
			closes = s.Closes
		}
	}
	slices.Sort(names)
	pace := Rate{int(math.Ceil(sum * 3600)), time.Hour}.spoken("shopper")
	return Clash{run.Doors, fmt.Sprintf("%s are open at once, from %s until %s: together %s come through, and the shop behind must bear that",
		allOf(names), Moment(run.Opens, run.Zone), hourOf(closes, run), pace), "together " + strings.Join(names, " ")}
}

// hourOf is an instant on the clocks of a run, with its day only if that is another than
// that of the opening.
func hourOf(t time.Time, run *Sale) string {
	if t.In(run.Zone).Format(time.DateOnly) != run.Opens.In(run.Zone).Format(time.DateOnly) {
		return Moment(t, run.Zone)
	}
	return clock(t, run.Zone)
}

// shared tells what two sales that are not open at once share: a page, or the minutes
// in which their crowds come.
func shared(before, run *Sale) []Clash {
	if run.Opens.Before(before.Closes) && before.Opens.Before(run.Closes) {
		return nil
	}
	var all []Clash
	say := func(kind, format string, args ...any) {
		all = append(all, Clash{run.Doors, fmt.Sprintf(format, args...), kind + before.ID + " " + run.ID})
	}
	if run.Doors.Sub(before.Doors) < crowded {
		say("doors ", "the doors of %s and of %s open within minutes of each other, the second at %s: two crowds come at once",
			before.ID, run.ID, Moment(run.Doors, run.Zone))
	}
	if run.Doors.Before(before.Over()) && samePath(before.Product, run.Product) {
		say("page ", "who got a unit in %s may pay until %s, and on the same page (%s) the doors of %s are open from %s on: leave more time between them",
			before.ID, Moment(before.Over(), run.Zone), run.Product, run.ID, hourOf(run.Doors, run))
	}
	return all
}

// oddHours tells what is odd about the hours of one run on the clocks of its zone.
func oddHours(run *Sale) []Clash {
	var all []Clash
	say := func(kind, format string, args ...any) {
		all = append(all, Clash{run.Doors, run.ID + " " + fmt.Sprintf(format, args...), kind + run.ID})
	}
	opens, doors := run.Opens.In(run.Zone), run.Doors.In(run.Zone)
	switch {
	case opens.Format("15:04:05") == "00:00:00":
		say("night ", "opens at midnight, with which %s begins: some will come a day late, 00:01 or 23:59 is hard to get wrong", opens.Format("Monday 2 January"))
	case opens.Hour() < morning:
		say("night ", "opens at night, at %s: if the afternoon is meant, write %s", clock(opens, run.Zone), clock(opens.Add(12*time.Hour), run.Zone))
	case doors.Hour() < morning && doors.Hour() > 0:
		say("night ", "has its doors open at night, at %s: if the afternoon is meant, write %s", clock(doors, run.Zone), clock(doors.Add(12*time.Hour), run.Zone))
	}
	if words := clockChange(run); words != "" {
		say("clocks "+run.Key+" ", "%s", words)
	}
	return all
}

// morning is the hour before which people sleep.
const morning = 6

// clockChange tells what becomes of a run on the day on which its clocks change.
func clockChange(run *Sale) string {
	opens := run.Opens.In(run.Zone)
	day := opens.Format("Monday 2 January 2006")
	if run.Repeat != "" {
		wall := time.Date(opens.Year(), opens.Month(), opens.Day(), run.rep.hour, run.rep.minute, 0, 0, time.UTC)
		switch found := instantsOf(wall, run.Zone); len(found) {
		case 0:
			return fmt.Sprintf("opens at %s on %s, for the clocks skip %s that day", clock(opens, run.Zone), day, wall.Format("15:04"))
		case 2:
			return fmt.Sprintf("opens the first time that it is %s on %s: the clocks are put back then, and show it twice", wall.Format("15:04"), day)
		}
	}
	_, before := run.Doors.In(run.Zone).Zone()
	if _, after := run.Closes.In(run.Zone).Zone(); before != after {
		return fmt.Sprintf("runs while the clocks change: doors are at %s, it opens at %s and closes at %s",
			Moment(run.Doors, run.Zone), Moment(run.Opens, run.Zone), Moment(run.Closes, run.Zone))
	}
	return ""
}

// allOf is a few names in a sentence: "a, b and c".
func allOf(names []string) string {
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// told folds what is said of several runs.
func told(all []Clash) []Clash {
	first, times := map[string]int{}, map[string]int{}
	var once []Clash
	for _, c := range all {
		if times[c.of]++; times[c.of] == 1 {
			first[c.of] = len(once)
			once = append(once, c)
		}
	}
	for of, n := range times {
		if n > 1 {
			once[first[of]].Says += fmt.Sprintf("; and so %s more", plural(n-1, "time"))
		}
	}
	slices.SortStableFunc(once, func(a, b Clash) int { return a.Doors.Compare(b.Doors) })
	return once
}

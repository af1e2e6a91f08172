package rehearsal

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Text is the report in plain words, its hours in the sale's zone.
func (r *Report) Text() string {
	var b strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "  %-24s %s\n", label, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "%s (%s): %s for %s at %s, seed %d\n", r.Title, r.Sale,
		plural(r.Shoppers, "shopper"), plural(r.Stock, "unit"), r.Rate, r.Seed)

	fmt.Fprintf(&b, "\nWhen, in %s\n", r.zone)
	line("doors", "%s", r.hour(r.Doors))
	line("draw", "%s", r.hour(r.Draw))
	line("first pass", "%s", r.after(r.FirstAdmitted))
	line("all units held", "%s", r.after(r.AllHeld))
	line("sold out for good", "%s", r.after(r.SoldOut))
	line("last one told no", "%s", r.after(r.LastTold))
	line("closes", "%s", r.hour(r.Closes))

	fmt.Fprintf(&b, "\nWhat became of them\n")
	line("entered", "%s, %s of them in time for the draw", thousands(r.Entered), thousands(r.Drawn))
	line("told it is hopeless", "%s at once, %s later", thousands(r.HopelessAtOnce), thousands(r.HopelessLater))
	line("told all is sold", "%s", thousands(r.ToldSoldOut))
	line("told it is over", "%s", thousands(r.ToldEnded))
	line("not there when called", "%s", thousands(r.NoShows))
	line("let through", "%s, of whom %s found nothing left", thousands(r.Admitted), thousands(r.AdmittedForNothing))
	line("got a unit", "%s, of whom %s let it lapse", thousands(r.Reserved), thousands(r.Lapsed))
	line("bought", "%s of %s", thousands(r.Bought), plural(r.Stock, "unit"))
	line("left and came back", "%s; %s used a turn that they had missed", thousands(r.CameBack), thousands(r.MissedUsed))
	line("never answered", "%s", thousands(r.Unanswered))

	fmt.Fprintf(&b, "\nHow long those who were let through had waited\n")
	line("half of them", "%s at most", span(r.Wait.P50))
	line("nine in ten", "%s at most", span(r.Wait.P90))
	line("99 in a hundred", "%s at most", span(r.Wait.P99))

	fmt.Fprintf(&b, "\nWhat the edges see\n")
	line("most passes in a second", "%s, at most %s are allowed", thousands(r.PassesMost), thousands(int(r.Bound)))
	line("shared document", "%s/s at %s, %s in all; a CDN can carry it", thousands(r.StatusPeak.PerSecond), r.hour(r.StatusPeak.At), thousands(int(r.StatusSum)))
	line("private requests", "%s/s at %s, %s in all", thousands(r.PrivatePeak.PerSecond), r.hour(r.PrivatePeak.At), thousands(int(r.PrivateSum)))

	fmt.Fprintf(&b, "\nWhat was promised\n")
	for _, c := range r.Checks {
		if c.Kept {
			fmt.Fprintf(&b, "  kept    %s\n", c.Name)
		} else {
			fmt.Fprintf(&b, "  BROKEN  %s: %s (%s)\n", c.Name, c.Detail, plural(c.Broken, "time"))
		}
	}
	if len(r.Advice) > 0 {
		fmt.Fprintf(&b, "\nWhat to think about\n")
		for _, advice := range r.Advice {
			fmt.Fprintf(&b, "  - %s\n", advice)
		}
	}
	return b.String()
}

// hour is a time of day in the sale's zone, to the tenth of a second if it is not
// a whole one; on another day than the draw's with its date.
func (r *Report) hour(s stamp) string {
	if s == 0 {
		return "never"
	}
	t := moment(s).time().In(r.zone).Round(100 * time.Millisecond)
	form := "15:04:05"
	if t.Nanosecond() > 0 {
		form = "15:04:05.0"
	}
	if t.YearDay() != moment(r.Draw).time().In(r.zone).YearDay() {
		form = "2 January " + form
	}
	return t.Format(form)
}

// after is an hour, and how long after the draw it is.
func (r *Report) after(s stamp) string {
	if s <= r.Draw {
		return r.hour(s)
	}
	return fmt.Sprintf("%s, %s after the draw", r.hour(s), span(moment(s).since(moment(r.Draw)).Seconds()))
}

// span is a duration in words: 0.05 s, 6.3 s, 21 min 53 s, 2 h.
func span(seconds float64) string {
	switch {
	case seconds < 1:
		return fmt.Sprintf("%.2f s", seconds)
	case seconds < 60:
		return strings.Replace(fmt.Sprintf("%.1f s", seconds), ".0 s", " s", 1)
	}
	whole := int(seconds + 0.5)
	h, m, s := whole/3600, whole/60%60, whole%60
	var parts []string
	for _, part := range []struct {
		n    int
		unit string
	}{{h, "h"}, {m, "min"}, {s, "s"}} {
		if part.n > 0 && len(parts) < 2 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.unit))
		}
	}
	return strings.Join(parts, " ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// thousands writes a whole number with commas: 2,000.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

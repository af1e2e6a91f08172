package rehearsal

import (
	"fmt"
	"strings"
	"time"
)

// Text is the report in plain words, its hours in the sale's zone.
func (r *Report) Text() string {
	var t text
	fmt.Fprintf(&t.Builder, "%s (%s): %s for %s at %s, seed %d\n", r.Title, r.Sale,
		plural(r.Shoppers, "shopper"), plural(r.Stock, "unit"), r.Rate, r.Seed)
	r.hours(&t)
	r.outcomes(&t)
	t.part("How long those who were let through had waited")
	t.line("half of them", "%s at most", span(r.Wait.P50))
	t.line("nine in ten", "%s at most", span(r.Wait.P90))
	t.line("99 in a hundred", "%s at most", span(r.Wait.P99))
	r.edges(&t)
	t.part("What was promised")
	for _, c := range r.Checks {
		if c.Kept {
			fmt.Fprintf(&t.Builder, "  kept    %s\n", c.Name)
		} else {
			fmt.Fprintf(&t.Builder, "  BROKEN  %s: %s (%s)\n", c.Name, c.Detail, plural(c.Broken, "time"))
		}
	}
	if len(r.Advice) > 0 {
		t.part("What to think about")
	}
	for _, advice := range r.Advice {
		fmt.Fprintf(&t.Builder, "  - %s\n", advice)
	}
	return t.String()
}

func (r *Report) hours(t *text) {
	t.part("When, in %s", r.zone)
	t.line("doors", "%s", r.hour(r.Doors))
	t.line("draw", "%s", r.hour(r.Draw))
	t.line("first pass", "%s", r.after(r.FirstAdmitted))
	t.line("all units held", "%s", r.after(r.AllHeld))
	t.line("sold out for good", "%s", r.after(r.SoldOut))
	t.line("last one told no", "%s", r.after(r.LastTold))
	t.line("closes", "%s", r.hour(r.Closes))
}

func (r *Report) outcomes(t *text) {
	t.part("What became of them")
	t.line("entered", "%s, %s of them in time for the draw", thousands(r.Entered), thousands(r.Drawn))
	t.line("told it is hopeless", "%s at once, %s later; %s were called back, of whom %s got a unit", thousands(r.HopelessAtOnce), thousands(r.HopelessLater), thousands(r.CalledBack), thousands(r.CalledBackGot))
	t.line("told all is sold", "%s", thousands(r.ToldSoldOut))
	t.line("told it is over", "%s", thousands(r.ToldEnded))
	t.line("not there when called", "%s", thousands(r.NoShows))
	t.line("let through", "%s, of whom %s found nothing left", thousands(r.Admitted), thousands(r.AdmittedForNothing))
	t.line("got a unit", "%s, of whom %s let it lapse", thousands(r.Reserved), thousands(r.Lapsed))
	t.line("bought", "%s of %s, %s of %s that were called", thousands(r.Bought), plural(r.Stock, "unit"), percent(r.converted()), plural(r.PlacesCalled, "place"))
	t.line("left and came back", "%s; %s used a turn that they had missed", thousands(r.CameBack), thousands(r.MissedUsed))
	t.line("never answered", "%s", thousands(r.Unanswered))
}

func (r *Report) edges(t *text) {
	t.part("What the edges see")
	t.line("most passes in a second", "%s, at most %s are allowed", thousands(r.PassesMost), thousands(int(r.Bound)))
	t.line("shared document", "%s/s at %s, %s in all; a CDN can carry it", thousands(r.StatusPeak.PerSecond), r.hour(r.StatusPeak.At), thousands(int(r.StatusSum)))
	t.line("private requests", "%s/s at %s, %s in all", thousands(r.PrivatePeak.PerSecond), r.hour(r.PrivatePeak.At), thousands(int(r.PrivateSum)))
}

// text is made of parts, each with lines of a label and what is told.
type text struct{ strings.Builder }

func (t *text) part(format string, args ...any) { fmt.Fprintf(&t.Builder, "\n"+format+"\n", args...) }

func (t *text) line(label, format string, args ...any) {
	fmt.Fprintf(&t.Builder, "  %-24s %s\n", label, fmt.Sprintf(format, args...))
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

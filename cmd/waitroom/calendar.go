package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
)

func newCalendar() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "calendar",
		Short: "Say what is coming, and what of it clashes",
		Long: "Lists each run of every sale, dated or repeating, in order, in the sale's time zone and,\n" +
			"if that is another, in yours; then what is allowed and seldom meant: sales that are open\n" +
			"at once, crowds that come at once, hours that may be wrong. It needs no secrets. With\n" +
			"--ics it writes the same for a calendar program.",
		Example: "  waitroom calendar --config waitroom.yaml --days 90\n" +
			"  waitroom calendar --ics > sales.ics",
	}
	config := cmd.Flags().String("config", "waitroom.yaml", "the operator's `file`, or a sale's own")
	days := cmd.Flags().Int("days", 30, "how many days, up to 366")
	from := cmd.Flags().String("from", "", "the first `day`, as 2027-11-01; today if it is left out")
	ics := cmd.Flags().Bool("ics", false, "write an iCalendar file")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		now := time.Now()
		first, err := firstDay(*from, now)
		if err != nil {
			return &wiring.UsageError{Err: err}
		}
		if *days < 1 || *days > mostDays {
			return &wiring.UsageError{Err: fmt.Errorf("--days %d: write a number from 1 to %d", *days, mostDays)}
		}
		sales, _, faults := configs.LoadSales(*config, now)
		if faults != nil && (len(sales) == 0 || *ics) { // a program would take what is missing for cancelled
			return faults
		}
		span := period{first, first.AddDate(0, 0, *days)}
		runs := configs.Calendar(sales, span.from, span.until)
		if *ics {
			_, err = io.WriteString(cmd.OutOrStdout(), calendarFile(runs, now))
			return err
		}
		if _, err = io.WriteString(cmd.OutOrStdout(), agenda(sales, runs, span, now)); err != nil {
			return err
		}
		return faults // of what is not in the list
	}
	return cmd
}

const mostDays = 366

// A period is from an instant up to another.
type period struct{ from, until time.Time }

// firstDay reads a day of this machine's zone; none is now.
func firstDay(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return now, nil
	}
	t, err := time.ParseInLocation(time.DateOnly, text, now.Location())
	if err != nil || t.Year() < 2020 || t.Year() > 2099 {
		return t, fmt.Errorf("--from %q: write a day as 2027-11-01, from 2020 to 2099", text)
	}
	return t, nil
}

// agenda is a calendar in words.
func agenda(sales, runs []configs.Sale, span period, now time.Time) string {
	var b strings.Builder
	for i := range runs {
		b.WriteString(entry(&runs[i], now))
	}
	if len(runs) == 0 {
		fmt.Fprintf(&b, "Nothing from %s up to %s.\n", span.from.Format("2 January 2006"), span.until.Format("2 January 2006"))
	}
	for _, clash := range configs.Clashes(runs) {
		fmt.Fprintf(&b, "warning: %s\n", clash.Says)
	}
	for i := range sales {
		s := &sales[i]
		switch {
		case s.Repeat != "":
		case !s.Doors.Before(span.until):
			fmt.Fprintf(&b, "later: %s opens %s\n", s.ID, configs.Moment(s.Opens, s.Zone))
		case !s.Over().After(span.from):
			if s.Closes.After(now) {
				fmt.Fprintf(&b, "earlier: %s closes %s\n", s.ID, configs.Moment(s.Closes, s.Zone))
				continue
			}
			fmt.Fprintf(&b, "over: %s closed %s\n", s.ID, configs.Moment(s.Closes, s.Zone))
		}
	}
	return b.String()
}

// entry is one run.
func entry(run *configs.Sale, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)%s\n", run.Title, run.ID, ifSet(", ", run.Repeat))
	for _, at := range []struct {
		label string
		t     time.Time
		more  string
	}{
		{"doors", run.Doors, ""},
		{"opens", run.Opens, ", " + configs.Away(run.Opens, now)},
		{"closes", run.Closes, ""},
	} {
		fmt.Fprintf(&b, "  %-6s %s%s%s\n", at.label, configs.Moment(at.t, run.Zone), here(at.t, run.Zone, now.Location()), at.more)
	}
	fmt.Fprintf(&b, "  sells  %s%s, at %s\n", unitsOf(run), ifSet(" for ", run.Price.String()), run.Admit)
	if run.Mix != "" {
		fmt.Fprintf(&b, "  needs  the value of %q, which an operator gives after the opening\n", run.Mix)
	}
	return b.String() + "\n"
}

// here is an instant on this machine's clocks, where they show another hour.
func here(t time.Time, zone, local *time.Location) string {
	const both = "Monday 15:04"
	if t.In(zone).Format(both) == t.In(local).Format(both) {
		return ""
	}
	return ", here " + t.In(local).Format(both)
}

// unitsOf is how many there are, as 1,000 units.
func unitsOf(run *configs.Sale) string {
	if run.Stock == 1 {
		return "1 unit"
	}
	return message.NewPrinter(language.English).Sprintf("%d units", run.Stock)
}

func ifSet(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

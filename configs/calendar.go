package configs

import (
	"slices"
	"strings"
	"time"
)

// Calendar gives the runs of sales that are not over at from, holds included, and whose
// doors open before until, in order of their doors: of a dated sale its only one, of a
// repeating one each.
func Calendar(sales []Sale, from, until time.Time) []Sale {
	var runs []Sale
	for i := range sales {
		for run := sales[i].runAt(from); run.Doors.Before(until); run = run.runAt(run.Over()) {
			if run.Over().After(from) {
				runs = append(runs, run)
			}
			if run.Repeat == "" {
				break
			}
		}
	}
	slices.SortStableFunc(runs, func(a, b Sale) int {
		if c := a.Doors.Compare(b.Doors); c != 0 {
			return c
		}
		return strings.Compare(a.Key, b.Key)
	})
	return runs
}

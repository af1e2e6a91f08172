package configs_test

import (
	"strings"
	"testing"
	"time"
)

// repeating is the small sale with a repetition instead of its dates.
func repeating(lines string) string {
	var kept []string
	for line := range strings.Lines(smallSale) {
		if !strings.Contains(line, "2026-11-27") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "") + lines
}

// TestRepeatRuns: which run is the current one, by the wall clock of the zone,
// over the turns of a run and of the clocks.
func TestRepeatRuns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, repeat, at, want string // at and want in UTC
	}{
		{"days before", "every Thursday 18:00", "2026-11-30T00:00Z", "2026-12-03T17:00Z"},
		{"at its opening", "every Thursday 18:00", "2026-12-03T17:00Z", "2026-12-03T17:00Z"},
		{"while holds last", "every Thursday 18:00", "2026-12-03T19:09Z", "2026-12-03T17:00Z"},
		{"when the last hold is over", "every Thursday 18:00", "2026-12-03T19:10Z", "2026-12-10T17:00Z"},
		{"every day", "every day 18:00", "2026-12-03T19:10Z", "2026-12-04T17:00Z"},
		{"the next of several days", "every Monday and Thursday 18:00", "2026-12-03T20:00Z", "2026-12-07T17:00Z"},
		{"after midnight of the zone", "every Friday 00:00", "2026-12-03T22:00Z", "2026-12-03T23:00Z"},
		{"still running past midnight", "every Thursday 23:30", "2026-12-04T00:15Z", "2026-12-03T22:30Z"},
		{"in summer", "every day 18:00", "2026-07-01T00:00Z", "2026-07-01T16:00Z"},
		{"in an hour that is skipped", "every day 02:30", "2026-03-29T00:00Z", "2026-03-29T01:30Z"},
		{"in an hour that is there twice", "every day 02:30", "2026-10-25T00:00Z", "2026-10-25T00:30Z"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			at, err := time.Parse("2006-01-02T15:04Z", test.at)
			if err != nil {
				t.Fatal(err)
			}
			file := folder(t, smallOperator, map[string]string{"a.yaml": repeating("repeat: " + test.repeat + "\n")})
			s := load(t, file, at).Sales[0]
			if want := "golden-toy@" + test.want; s.Key != want {
				t.Errorf("got %s, want %s", s.Key, want)
			}
			if doors, closes := s.Opens.Sub(s.Doors), s.Closes.Sub(s.Opens); doors != 30*time.Minute || closes != 2*time.Hour {
				t.Errorf("got doors %v before and closes %v after, want 30m and 2h", doors, closes)
			}
		})
	}
}

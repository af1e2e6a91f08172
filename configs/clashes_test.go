package configs_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// planned are sales from lines as "id|zone|times…|page|admit", of which times are the
// keys of a file.
func planned(t testing.TB, at time.Time, lines ...string) []configs.Sale {
	t.Helper()
	dir := t.TempDir()
	for _, line := range lines {
		part := strings.Split(line, "|")
		text := fmt.Sprintf("sale: %s\ntitle: A toy\ntimezone: %s\n%s\nproduct_page: %s\nbuy: POST /%s/buy\ncheckout: /pay?r={reservation}\nstock: 100\nadmit: %s\n",
			part[0], part[1], strings.ReplaceAll(part[2], "; ", "\n"), part[3], part[0], part[4])
		write(t, filepath.Join(dir, "sales", part[0]+".yaml"), text)
	}
	write(t, filepath.Join(dir, "waitroom.yaml"), "sales: ['sales/*.yaml']\n")
	sales, _, err := configs.LoadSales(filepath.Join(dir, "waitroom.yaml"), at)
	if err != nil {
		t.Fatal(err)
	}
	return sales
}

// at is an instant as RFC 3339 writes it.
func at(t testing.TB, text string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

func TestCalendar(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, from, until string
		lines             []string
		want              string // keys and, in UTC, openings
	}{
		{"a dated one and a weekly one, by doors", "2026-11-25T09:30:00Z", "2026-12-05T00:00:00Z", []string{
			"toy|Europe/Berlin|doors: 2026-11-27 09:30; opens: 2026-11-27 10:00; closes: 2026-11-27 12:00|/toy|20/s",
			"weekly|Europe/Berlin|repeat: every Thursday 18:00|/weekly|20/s",
		}, "weekly@2026-11-26T17:00Z 17:00, toy 09:00, weekly@2026-12-03T17:00Z 17:00"},
		{"one that is open, and none that is over", "2026-11-27T10:00:00Z", "2026-11-28T00:00:00Z", []string{
			"open|UTC|doors: 2026-11-27 08:00; opens: 2026-11-27 09:00; closes: 2026-11-27 11:00|/open|20/s",
			"held|UTC|doors: 2026-11-27 07:00; opens: 2026-11-27 08:00; closes: 2026-11-27 09:55|/held|20/s",
			"over|UTC|doors: 2026-11-27 07:00; opens: 2026-11-27 08:00; closes: 2026-11-27 09:50|/over|20/s",
		}, "held 08:00, open 09:00"},
		{"clocks are put forward", "2027-03-27T00:00:00Z", "2027-03-30T00:00:00Z", []string{
			"daily|Europe/Berlin|repeat: every day 02:30|/daily|20/s",
		}, "daily@2027-03-27T01:30Z 01:30, daily@2027-03-28T01:30Z 01:30, daily@2027-03-29T00:30Z 00:30"},
		{"a leap day", "2028-02-28T00:00:00Z", "2028-03-01T12:00:00Z", []string{
			"daily|America/New_York|repeat: every day 09:00|/daily|20/s",
		}, "daily@2028-02-28T14:00Z 14:00, daily@2028-02-29T14:00Z 14:00"},
		{"nothing", "2026-11-25T09:30:00Z", "2026-11-26T00:00:00Z", []string{
			"toy|UTC|doors: 2026-11-27 09:30; opens: 2026-11-27 10:00; closes: 2026-11-27 12:00|/toy|20/s",
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, run := range configs.Calendar(planned(t, now, test.lines...), at(t, test.from), at(t, test.until)) {
				got = append(got, run.Key+" "+run.Opens.UTC().Format("15:04"))
			}
			if got := strings.Join(got, ", "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestClashes(t *testing.T) {
	t.Parallel()
	const toy = "toy|Europe/Berlin|doors: 2026-11-27 09:30; opens: 2026-11-27 10:00; closes: 2026-11-27 12:00|/toy|20/s"
	for _, test := range []struct {
		name  string
		days  int
		lines []string
		want  []string // of each, what it says among other things
	}{
		{"one alone", 30, []string{toy}, nil},
		{"open at once, over zones", 30, []string{toy, "other|America/New_York|doors: 2026-11-27 04:00; opens: 2026-11-27 05:30; closes: 2026-11-27 05:45|/other|30/min"},
			[]string{
				"other and toy are open at once, from Friday 27 November 2026, 05:30 (New York, UTC-5) until 05:45: together about 21 shoppers a second",
				"other opens at night, at 05:30: if the afternoon is meant, write 17:30",
			}},
		{"one after the other", 30, []string{toy, "other|Europe/Berlin|doors: 2026-11-27 11:00; opens: 2026-11-27 12:00; closes: 2026-11-27 13:00|/other|20/s"}, nil},
		{"three at once", 30, []string{toy,
			"b|Europe/Berlin|doors: 2026-11-27 10:00; opens: 2026-11-27 10:30; closes: 2026-11-27 11:30|/b|20/s",
			"c|Europe/Berlin|doors: 2026-11-27 10:45; opens: 2026-11-27 11:00; closes: 2026-11-27 11:15|/c|20/s"},
			[]string{"b and toy are open at once", "b, c and toy are open at once, from Friday 27 November 2026, 11:00 (Berlin, UTC+1) until 11:15: together about 60 shoppers a second"}},
		{"every week again", 28, []string{
			"a|Europe/Berlin|repeat: every Thursday 18:00|/a|20/s", "b|Europe/Berlin|repeat: every day 19:00|/b|20/s"},
			[]string{"a and b are open at once, from Thursday 26 November 2026, 19:00 (Berlin, UTC+1) until 20:00: together about 40 shoppers a second come through, and the shop behind must bear that; and so 3 times more"}},
		{"holds reach into doors", 30, []string{toy, "next|Europe/Berlin|doors: 2026-11-27 12:05; opens: 2026-11-27 12:30; closes: 2026-11-27 13:00|/toy|20/s"},
			[]string{"who got a unit in toy may pay until Friday 27 November 2026, 12:10 (Berlin, UTC+1), and on the same page (/toy) the doors of next are open from 12:05 on"}},
		{"holds end with the doors", 30, []string{toy, "next|Europe/Berlin|doors: 2026-11-27 12:10; opens: 2026-11-27 12:30; closes: 2026-11-27 13:00|/toy|20/s"}, nil},
		{"two crowds", 30, []string{"a|UTC|doors: 2026-11-27 09:00; opens: 2026-11-27 10:00; closes: 2026-11-27 10:30|/a|20/s",
			"b|UTC|doors: 2026-11-27 09:09; opens: 2026-11-27 11:00; closes: 2026-11-27 12:00|/b|20/s"},
			[]string{"the doors of a and of b open within minutes of each other, the second at Friday 27 November 2026, 09:09 (UTC): two crowds come at once"}},
		{"midnight", 30, []string{"toy|Europe/Berlin|doors: 2026-11-26 23:00; opens: 2026-11-27 00:00; closes: 2026-11-27 02:00|/toy|20/s"},
			[]string{"toy opens at midnight, with which Friday 27 November begins"}},
		{"doors at night", 30, []string{"toy|Europe/Berlin|doors: 2026-11-27 03:00; opens: 2026-11-27 15:30; closes: 2026-11-27 17:00|/toy|20/s"},
			[]string{"toy has its doors open at night, at 03:00: if the afternoon is meant, write 15:00"}},
		{"an hour that is skipped", 140, []string{"a|Europe/Berlin|repeat: every Sunday 02:30|/a|20/s"},
			[]string{"a opens at night, at 02:30", "a opens at 03:30 on Sunday 28 March 2027, for the clocks skip 02:30 that day"}},
		{"an hour that is there twice", 365, []string{"a|America/New_York|repeat: every Sunday 01:30|/a|20/s"},
			[]string{"a opens at night, at 01:30", "a runs while the clocks change: doors are at Sunday 14 March 2027, 01:00 (New York, UTC-5)", "a opens the first time that it is 01:30 on Sunday 7 November 2027"}},
		{"clocks change while it is open", 365, []string{"toy|Europe/Berlin|doors: 2027-03-27 20:00; opens: 2027-03-27 21:00; closes: 2027-03-28 08:00|/toy|20/s"},
			[]string{"toy runs while the clocks change: doors are at Saturday 27 March 2027, 20:00 (Berlin, UTC+1), it opens at Saturday 27 March 2027, 21:00 (Berlin, UTC+1) and closes at Sunday 28 March 2027, 08:00 (Berlin, UTC+2)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := configs.Clashes(configs.Calendar(planned(t, now, test.lines...), now, now.AddDate(0, 0, test.days)))
			for i, clash := range got {
				if i >= len(test.want) || !strings.Contains(clash.Says, test.want[i]) {
					t.Errorf("got %q at %d", clash.Says, i)
				}
			}
			if len(got) != len(test.want) {
				t.Errorf("got %d, want %d: %q", len(got), len(test.want), test.want)
			}
		})
	}
}

// A year of a dozen daily sales is looked through in a moment.
func TestClashes_Many(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 12 {
		lines = append(lines, fmt.Sprintf("s%d|UTC|repeat: every day %02d:00; closes: 1h|/s%d|20/s", i, 8+i, i))
	}
	runs := configs.Calendar(planned(t, now, lines...), now, now.AddDate(1, 0, 0))
	if got := configs.Clashes(runs); len(runs) < 12*365 || len(got) != 0 {
		t.Errorf("got %d runs and %d clashes, want twelve a day and none", len(runs), len(got))
	}
}

func TestMoment(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ zone, at, want string }{
		{"Europe/Berlin", "2027-11-26T09:00:00Z", "Friday 26 November 2027, 10:00 (Berlin, UTC+1)"},
		{"America/Argentina/Buenos_Aires", "2027-11-26T09:00:05Z", "Friday 26 November 2027, 06:00:05 (Buenos Aires, UTC-3)"},
		{"Asia/Kolkata", "2027-11-26T20:00:00Z", "Saturday 27 November 2027, 01:30 (Kolkata, UTC+5:30)"},
		{"UTC", "2027-11-26T09:00:00Z", "Friday 26 November 2027, 09:00 (UTC)"},
		{"Etc/GMT-5", "2027-11-26T09:00:00Z", "Friday 26 November 2027, 14:00 (UTC+5)"},
		{"Europe/London", "2027-11-26T09:00:00Z", "Friday 26 November 2027, 09:00 (London, UTC)"},
	} {
		loc, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := configs.Moment(at(t, test.at), loc); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

package configs

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A repetition opens a sale at one time of day on some days of the week, for
// ever. The zero value never opens.
type repetition struct {
	days          [7]bool // by time.Weekday
	hour, minute  int
	doors, closes time.Duration // before and after the opening
}

var repeatForm = regexp.MustCompile(`^every (.+) ([01]\d|2[0-3]):([0-5]\d)$`)

// repeat reads "every Thursday 18:00", "every day 09:00" or
// "every Monday, Wednesday and Friday 12:00".
func repeat(text string) (repetition, *complaint) {
	r := repetition{doors: defaultDoors, closes: defaultCloses}
	parts := repeatForm.FindStringSubmatch(text)
	if parts == nil {
		if c := repeatComplaint(text); c != nil {
			return r, c
		}
		return r, complain("%q is not understood", text).advise("write one as every Thursday 18:00, or every day 18:00")
	}
	r.hour, _ = strconv.Atoi(parts[2]) // the pattern lets only digits through
	r.minute, _ = strconv.Atoi(parts[3])
	if parts[1] == "day" {
		r.days = [7]bool{true, true, true, true, true, true, true}
		return r, nil
	}
	for _, name := range strings.Split(strings.NewReplacer(", and ", ",", ", ", ",", " and ", ",").Replace(parts[1]), ",") {
		day, c := weekday(name)
		if c != nil {
			return r, cmp.Or(repeatComplaint(text), c)
		}
		if r.days[day] {
			return r, complain("%s is named twice", day).advise("name each day once")
		}
		r.days[day] = true
	}
	return r, nil
}

// repeatComplaint is about what can be told to be a repetition; nil where it cannot.
func repeatComplaint(text string) *complaint {
	if meant, ok := meantRepeat(text); ok {
		return complain("%q is not understood", text).advise("write " + meant)
	}
	plain := evened(strings.ToLower(text))
	if days, ok := namedDays(plain); ok {
		return complain("%q has no hour", text).advise("write it behind the days, as " + everyOf(days) + " 18:00")
	}
	if p := halved.FindStringSubmatch(plain); p != nil && p[1] == "12" && strings.Trim(p[2], "0") == "" {
		return complain("%q is noon to some and midnight to others", text).advise("write 12:00 or 00:00")
	}
	return rarely(text)
}

func weekday(name string) (time.Weekday, *complaint) {
	var known []string
	for day := time.Sunday; day <= time.Saturday; day++ {
		if strings.EqualFold(name, day.String()) {
			return day, nil
		}
		known = append(known, day.String())
	}
	if meant, ok := Nearest(name, known); ok && !strings.Contains(name, " ") {
		return 0, complain("%q is not a day", name).advise(fmt.Sprintf("did you mean %s?", meant))
	}
	return 0, complain("%q is not a day", name).advise("write the days as Thursday, or every day")
}

// opening is the first one at or after an instant's day in a zone whose run is
// not over at that instant: its closing and the time held after it lie ahead.
func (r repetition) opening(loc *time.Location, now time.Time, hold time.Duration) time.Time {
	after := r.closes + hold
	from := now.Add(-after).In(loc)
	for day := 0; day <= 9; day++ {
		wall := time.Date(from.Year(), from.Month(), from.Day()+day, r.hour, r.minute, 0, 0, time.UTC)
		if !r.days[wall.Weekday()] {
			continue
		}
		if opens := r.onClock(wall, loc); opens.Add(after).After(now) {
			return opens
		}
	}
	return time.Time{}
}

// onClock is an opening by the wall clock. In a repeated hour it is the first;
// in a skipped one, as long after midnight as on any other day.
func (r repetition) onClock(wall time.Time, loc *time.Location) time.Time {
	if found := instantsOf(wall, loc); len(found) > 0 {
		return found[0]
	}
	_, before := wall.Add(-25 * time.Hour).In(loc).Zone()
	return wall.Add(-time.Duration(before) * time.Second).In(loc)
}

// gap is the shortest time between two openings, clock changes included.
func (r repetition) gap() time.Duration {
	shortest, last := 7, -1
	for i := range 14 {
		if !r.days[i%7] {
			continue
		}
		if last >= 0 {
			shortest = min(shortest, i-last)
		}
		last = i
	}
	return time.Duration(shortest)*24*time.Hour - time.Hour
}

// runAt is the run of a sale at an instant: a dated sale itself, a repeating
// one's current or next.
func (s *Sale) runAt(now time.Time) Sale {
	run := *s
	if s.written != nil {
		if now.Before(s.Over()) || s.InForce().SameRun(*s.written) {
			return run
		}
		run.put(*s.written)
		run.written = nil
	}
	if run.Repeat == "" {
		return run
	}
	run.Opens = s.rep.opening(s.Zone, now, s.Hold)
	run.Doors = run.Opens.Add(-s.rep.doors)
	run.Closes = run.Opens.Add(s.rep.closes)
	run.Key = s.ID + "@" + run.Opens.UTC().Format("2006-01-02T15:04Z")
	return run
}

// Over is the instant at which nothing of this run can move any more but late
// money: its last possible hold has run out.
func (s *Sale) Over() time.Time { return s.Closes.Add(s.Hold) }

// sameAs reports whether two configurations were read from the same bytes and
// the same environment, and have the same runs under the same terms.
func (c *Config) sameAs(other *Config) bool {
	same := func(a, b Terms) bool { return a.plain() == b.plain() }
	return c.same == other.same && slices.EqualFunc(c.gone, other.gone, same) && slices.EqualFunc(c.Sales, other.Sales, func(a, b Sale) bool {
		return a.InForce() == b.InForce() && (a.written == nil) == (b.written == nil)
	})
}

// turned is the configuration with the runs of its repeating sales that are current
// at an instant, and the next instant at which that changes; the zero time if
// no sale repeats.
func (c *Config) turned(now time.Time) (*Config, time.Time) {
	next := *c
	next.Sales = make([]Sale, len(c.Sales))
	var wake time.Time
	for i := range c.Sales {
		s := c.Sales[i].runAt(now)
		next.Sales[i] = s
		if over := s.Over(); (s.Repeat != "" || s.written != nil && now.Before(over)) && (wake.IsZero() || over.Before(wake)) {
			wake = over
		}
	}
	inOrder(next.Sales)
	return &next, wake
}

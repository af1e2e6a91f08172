package configs

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // a sale's hour must not hang on what the host has installed
)

const (
	localForm = "2006-01-02 15:04:05"
	example   = "2027-11-26 10:00"
)

var (
	instantForm = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2})(:\d{2})?(?: ?(Z|[+-]\d{2}:\d{2}))?$`)
	zoneForm    = regexp.MustCompile(`^(UTC|[A-Z][A-Za-z_]*(/[A-Za-z0-9_+-]+){1,2})$`)
)

// zone reads an IANA time zone, by its full name: what else the host has there
// are other spellings, leap seconds and files that are no zones.
func zone(text string) (*time.Location, *complaint) {
	const right = "write one as Europe/Berlin, or UTC"
	if text == "Local" {
		return nil, complain("%q depends on the machine", text).advise(right)
	}
	loc, err := time.LoadLocation(text)
	if err != nil || !zoneForm.MatchString(text) {
		return nil, zoneComplaint(text)
	}
	return loc, nil
}

// instant reads a local time in a zone. An hour that the zone skips or repeats
// needs its offset written: 2026-10-25 02:30 +02:00. Examples in complaints are ahead of now.
func instant(loc *time.Location, now time.Time) func(string) (time.Time, *complaint) {
	return func(text string) (time.Time, *complaint) {
		parts := instantForm.FindStringSubmatch(text)
		if parts == nil {
			return time.Time{}, instantComplaint(text, loc, now)
		}
		seconds := parts[3]
		if seconds == "" {
			seconds = ":00"
		}
		wall, err := time.Parse(localForm, parts[1]+" "+parts[2]+seconds)
		if err != nil {
			if !inCalendar(parts[1]) {
				return time.Time{}, noSuchDay(text, parts[1], now)
			}
			if day, err := time.Parse(time.DateOnly, parts[1]); err == nil && parts[2] == "24:00" {
				return time.Time{}, complain("%q is not on the clock", text).advise("write " + day.AddDate(0, 0, 1).Format(time.DateOnly) + " 00:00")
			}
			return time.Time{}, complain("%q is not on the clock", text).advise("write an hour from 00:00 to 23:59, as " + exampleDay(now) + " 10:00")
		}
		if y := wall.Year(); y < 2020 || y > 2099 {
			return time.Time{}, complain("the year %d is out of bounds", y).advise("from 2020 to 2099")
		}
		if loc == nil { // the zone has its own fault
			return time.Time{}, nil
		}
		return choose(text, wall, loc, parts[4])
	}
}

// choose picks the one instant that a wall clock's time is in a zone.
func choose(text string, wall time.Time, loc *time.Location, offset string) (time.Time, *complaint) {
	found := instantsOf(wall, loc)
	if offset != "" {
		for _, t := range found {
			if offsetOf(t) == strings.Replace(offset, "Z", "+00:00", 1) {
				return t, nil
			}
		}
		if c := offsetSpan(text, wall, offset); c != nil {
			return time.Time{}, c
		}
		right := offsetsRight(found)
		if t, err := time.Parse("2006-01-02 15:04:05-07:00", wall.Format(localForm)+strings.Replace(offset, "Z", "+00:00", 1)); err == nil && len(found) == 1 {
			right = "write " + inFile(t, loc) + ", which is then, or leave " + offset + " out"
		}
		return time.Time{}, complain("%s is not at %s then", loc, offset).advise(right)
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return time.Time{}, complain("%s skips this hour", loc).advise("choose another hour")
	}
	return time.Time{}, complain("%s has this hour twice", loc).advise(offsetsRight(found))
}

func offsetsRight(found []time.Time) string {
	var offsets []string
	for _, t := range found {
		offsets = append(offsets, offsetOf(t))
	}
	if offsets == nil {
		return "choose another hour"
	}
	return "write " + strings.Join(offsets, " or ") + " behind it"
}

func offsetOf(t time.Time) string { return t.Format("-07:00") }

// instantsOf gives every instant, earliest first, at which a zone's clocks show
// a time: one, none in a gap, two where an hour is repeated.
func instantsOf(wall time.Time, loc *time.Location) []time.Time {
	var found []time.Time
	for _, around := range []time.Duration{-25 * time.Hour, 25 * time.Hour} {
		_, offset := wall.Add(around).In(loc).Zone()
		t := wall.Add(-time.Duration(offset) * time.Second).In(loc)
		if t.Format(localForm) == wall.Format(localForm) && (len(found) == 0 || !found[0].Equal(t)) {
			found = append(found, t)
		}
	}
	return found
}

// Instant reads a time as the sale's own file writes one, in its time zone.
func (s *Sale) Instant(text string) (time.Time, error) {
	var now time.Time
	if s.src != nil {
		now = s.src.now
	}
	t, c := instant(s.Zone, now)(text)
	if c != nil {
		return time.Time{}, fmt.Errorf("%s: %s", c.wrong, c.right)
	}
	return t, nil
}

package configs

import (
	"strconv"
	"strings"
	"time"
)

// moment is an instant in a zone's words and in UTC.
func moment(t time.Time, loc *time.Location) string {
	local, utc := t.In(loc), t.UTC()
	clock := "15:04"
	if t.Second() != 0 {
		clock = "15:04:05"
	}
	text := local.Format("Monday 2 January 2006 "+clock) + " " + loc.String()
	switch {
	case local.Format(localForm) == utc.Format(localForm):
		return text
	case local.Day() != utc.Day():
		return text + " (" + utc.Format("Monday "+clock) + " UTC)"
	}
	return text + " (" + utc.Format(clock) + " UTC)"
}

// spoken is a duration in its two largest units.
func spoken(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		name string
		is   time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		n := int(d / unit.is)
		d -= time.Duration(n) * unit.is
		if n > 0 && len(parts) < 2 {
			parts = append(parts, plural(n, unit.name))
		} else if len(parts) > 0 {
			break
		}
	}
	if parts == nil {
		return "less than a second"
	}
	return strings.Join(parts, " ")
}

func units(n int) string { return plural(n, "unit") }

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

// either is a few words to choose from: "POST, PUT or PATCH".
func either(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// listed is a group's own keys in a sentence.
func listed(known []string) string {
	var own []string
	for _, key := range known {
		if !strings.Contains(key, ".") {
			own = append(own, key)
		}
	}
	return strings.Join(own, ", ")
}

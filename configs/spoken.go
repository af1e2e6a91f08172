package configs

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Moment is an instant as people of a zone say it, with the hour's distance from UTC:
// "Friday 27 November 2026, 10:00 (Berlin, UTC+1)".
func Moment(t time.Time, loc *time.Location) string {
	return t.In(loc).Format("Monday 2 January 2006, ") + clock(t, loc) + " (" + clocks(t, loc) + ")"
}

// clock is the time of day, with seconds only if there are any.
func clock(t time.Time, loc *time.Location) string {
	if t.Second() != 0 {
		return t.In(loc).Format("15:04:05")
	}
	return t.In(loc).Format("15:04")
}

// city is a zone as people call it, by the last part of its name; empty for what is no
// place, as Etc/GMT-5.
func city(loc *time.Location) string {
	region, name, _ := strings.Cut(loc.String(), "/")
	if name == "" || region == "Etc" {
		return ""
	}
	return strings.ReplaceAll(name[strings.LastIndexByte(name, '/')+1:], "_", " ")
}

// clocks is whose clocks show an instant: "Berlin, UTC+1".
func clocks(t time.Time, loc *time.Location) string {
	sign := "+"
	_, offset := t.In(loc).Zone()
	if offset < 0 {
		sign, offset = "-", -offset
	}
	from := "UTC"
	if hours, minutes := offset/3600, offset%3600/60; offset != 0 {
		from += sign + strconv.Itoa(hours)
		if minutes != 0 {
			from += fmt.Sprintf(":%02d", minutes)
		}
	}
	if name := city(loc); name != "" {
		return name + ", " + from
	}
	return from
}

// Away is how far an instant is from another: "in 2 days 3 hours", "5 minutes ago".
func Away(t, now time.Time) string {
	if t.Before(now) {
		return spoken(now.Sub(t)) + " ago"
	}
	return "in " + spoken(t.Sub(now))
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

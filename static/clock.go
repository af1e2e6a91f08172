package static

import (
	"fmt"
	"html/template"
	"path"
	"strings"
	"time"
)

// calendar is how a language writes a day and a time of day. Names stand as they do within
// a date; a pattern has the holes {weekday} {month} {day}, or {hour} {minute} and what they
// are of, {half}. {hour2} has two digits always.
type calendar struct {
	Weekdays []string `json:"weekdays"` // from Sunday
	Months   []string `json:"months"`   // from January
	Day      string   `json:"day"`
	Time     string   `json:"time"`
	Halves   []string `json:"halves"` // before and after noon; empty: the day has 24 hours
}

// Moment is an instant as a page tells it, in the zone of the sale. The zero value is not
// known.
type Moment struct {
	At    time.Time // in that zone
	Today bool      // it is on the day on which the page is read: the day is not told
}

// NewMoment is an instant that is told at now.
func NewMoment(at, now time.Time, zone *time.Location) Moment {
	at, now = at.In(zone), now.In(zone)
	return Moment{at, at.YearDay() == now.YearDay() && at.Year() == now.Year()}
}

// Stamp is the minute for scripts, with how far the sale's clocks are from UTC; empty if
// it is not known.
func (m Moment) Stamp() string {
	if m.At.IsZero() {
		return ""
	}
	return m.At.Format("2006-01-02T15:04-07:00")
}

// moment tells an instant in words: "10:00 (Berlin, UTC+1)", or
// "Friday 27 November, 10:00 (Berlin, UTC+1)", or the text named unknown.
func (c catalog) moment(m Moment, unknown string) string {
	if m.At.IsZero() {
		return c.Text(unknown)
	}
	name := "clock.day"
	if m.Today {
		name = "clock"
	}
	return c.Text(name, "day", c.day(m.At), "time", c.timeOfDay(m.At), "zone", zone(m.At))
}

// timeElement is what stands in a sentence for an instant, so that the script can tell it
// by the reader's own clock.
func timeElement(m Moment, words string) string {
	words = template.HTMLEscapeString(words)
	if m.At.IsZero() {
		return words
	}
	return `<time datetime="` + m.Stamp() + `">` + words + "</time>"
}

func (c catalog) day(at time.Time) string {
	return strings.NewReplacer(
		"{weekday}", c.Weekdays[at.Weekday()],
		"{month}", c.Months[at.Month()-1],
		"{day}", fmt.Sprint(at.Day()),
	).Replace(c.Day)
}

func (c catalog) timeOfDay(at time.Time) string {
	hour, half := at.Hour(), ""
	if len(c.Halves) > 0 {
		half = c.Halves[hour/12]
		hour = (hour+11)%12 + 1
	}
	return strings.NewReplacer(
		"{hour}", fmt.Sprint(hour),
		"{hour2}", fmt.Sprintf("%02d", hour),
		"{minute}", fmt.Sprintf("%02d", at.Minute()),
		"{half}", half,
	).Replace(c.Time)
}

// zone names the zone of an instant so that it is understood anywhere: by its city, as the
// time zone database has it, and by how far its clocks are from UTC at that instant.
func zone(at time.Time) string {
	_, seconds := at.Zone()
	offset := "UTC"
	if seconds != 0 {
		sign := "+"
		if seconds < 0 {
			sign, seconds = "−", -seconds
		}
		offset += fmt.Sprint(sign, seconds/3600)
		if minutes := seconds / 60 % 60; minutes != 0 {
			offset += fmt.Sprintf(":%02d", minutes)
		}
	}
	name := at.Location().String()
	if !strings.Contains(name, "/") || strings.HasPrefix(name, "Etc/") {
		return offset
	}
	return strings.ReplaceAll(path.Base(name), "_", " ") + ", " + offset
}

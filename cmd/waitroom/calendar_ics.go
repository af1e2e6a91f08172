package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/waitroom/waitroom/configs"
)

// calendarFile is a calendar as RFC 5545 has it, for calendar programs: one entry for each
// run, from its doors to its closing, in UTC, which they show on their owner's clocks. A
// later one of the same run counts as its newer version: its sequence grows with time.
func calendarFile(runs []configs.Sale, now time.Time) string {
	var b strings.Builder
	line := func(name, value string) { b.WriteString(fold(name + ":" + value)) }
	line("BEGIN", "VCALENDAR")
	line("VERSION", "2.0")
	line("PRODID", "-//waitroom//calendar//EN")
	for i := range runs {
		run := &runs[i]
		line("BEGIN", "VEVENT")
		line("UID", run.Key+"@waitroom")
		line("DTSTAMP", utc(now))
		line("DTSTART", utc(run.Doors))
		line("DTEND", utc(run.Closes))
		line("SEQUENCE", strconv.FormatInt(max(0, now.Unix()-sequenceFrom)/60, 10))
		line("SUMMARY", escaped(summaryOf(run)))
		line("DESCRIPTION", escaped(fmt.Sprintf("Doors: %s\nOpens: %s\nCloses: %s\n%s%s, %s",
			configs.Moment(run.Doors, run.Zone), configs.Moment(run.Opens, run.Zone), configs.Moment(run.Closes, run.Zone),
			unitsOf(run), ifSet(" for ", run.Price.String()), run.ID)))
		line("TRANSP", "TRANSPARENT")
		line("END", "VEVENT")
	}
	line("END", "VCALENDAR")
	return b.String()
}

// sequenceFrom is the instant from which sequences count, in minutes: what programs keep
// of them has 32 bits.
var sequenceFrom = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

// summaryOf is what an entry is called. It begins with the doors, so it says when it opens.
func summaryOf(run *configs.Sale) string {
	if run.Doors.Equal(run.Opens) {
		return run.Title
	}
	opens := run.Opens.In(run.Zone)
	form := "15:04"
	if opens.Format(time.DateOnly) != run.Doors.In(run.Zone).Format(time.DateOnly) {
		form = "2 January, 15:04"
	}
	return fmt.Sprintf("%s: doors (opens %s)", run.Title, opens.Format(form))
}

func utc(t time.Time) string { return t.UTC().Format("20060102T150405Z") }

// escaped is a text as a value (RFC 5545, section 3.3.11).
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\n", `\n`).Replace(text)
}

// mostOctets is how long a line may be without its end (RFC 5545, section 3.1).
const mostOctets = 75

// fold ends a line, and breaks it where it is too long: never inside a character.
func fold(line string) string {
	var b strings.Builder
	for most := mostOctets; len(line) > most; most = mostOctets - 1 { // a blank goes before the rest
		at := most
		for !utf8.RuneStart(line[at]) {
			at--
		}
		b.WriteString(line[:at] + "\r\n ")
		line = line[at:]
	}
	return b.String() + line + "\r\n"
}

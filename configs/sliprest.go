package configs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// What was typed is put right only where all of it is understood: a word that is not may
// be the one that moves the hour by half a day.

var (
	afternoons = regexp.MustCompile(`(\d)(?: ?(?:uhr|h|o'?clock))? ?(?:p\.? ?m\.?|abends|nachmittags|in the evening|in the afternoon|du soir|de l'après-midi|de la tarde|ös)( |,|$)`)
	mornings   = regexp.MustCompile(`(\d)(?: ?(?:uhr|h|o'?clock))? ?(?:a\.? ?m\.?|morgens|vormittags|in the morning|du matin|de la mañana|öö)( |,|$)`)
	dashMonth  = regexp.MustCompile(`\b(\d{1,2})-(\pL{3,9})-(\d{4})\b`)
	monthDash  = regexp.MustCompile(`\b(\pL{3,9})-(\d{1,2})-(\d{4})\b`)
	runDate    = regexp.MustCompile(`\b(20\d\d)(\d\d)(\d\d)\b`)
	twoDashed  = regexp.MustCompile(`\b(\d{2})-(\d{2})-(\d{2})\b`)
	hour24     = regexp.MustCompile(`\b24(?:[:.]00| ?uhr| ?h)\b`)
	halved     = regexp.MustCompile(`\b(\d{1,2})(?:[:.](\d{2}))? ?(am|pm)\b`)
	restWord   = regexp.MustCompile(`[\pL\d']+`)
)

// fillers are words that say nothing where a day and an hour stand.
var fillers = []string{"at", "um", "on", "am", "the", "of", "de", "del", "le", "el", "la", "las", "à", "a", "den", "dem", "der", "uhr", "h", "noon", "midnight", "mitternacht", "o'clock"}

// evened is a text in small letters with the halves of the day as am and pm, and with
// dates that have a month's name or nothing between their parts as most write them.
func evened(text string) string {
	text = afternoons.ReplaceAllString(text, "$1 pm$2")
	text = mornings.ReplaceAllString(text, "$1 am$2")
	text = dashMonth.ReplaceAllString(text, "$1 $2 $3")
	text = monthDash.ReplaceAllString(text, "$1 $2 $3")
	return runDate.ReplaceAllString(text, "$1-$2-$3")
}

// leftover reports whether a text says more than an hour and what says nothing.
func leftover(rest string, loc *time.Location) bool {
	if at := clockText.FindStringIndex(rest); at != nil {
		rest = rest[:at[0]] + " " + rest[at[1]:]
	}
	known := fillers
	if loc != nil {
		known = append(slices.Clone(fillers), strings.Fields(strings.ToLower(city(loc)))...)
	}
	return strange(rest, known)
}

// strange reports whether a text holds a word that is neither a day of the week nor known.
func strange(text string, known []string) bool {
	return slices.ContainsFunc(restWord.FindAllString(text, -1), func(word string) bool {
		_, day := weekdayOf(word)
		return !day && !slices.Contains(known, word)
	})
}

// notWhole complains of a text of which a part is not understood: only the form is shown.
func notWhole(text, day string) *complaint {
	return complain("%q is not understood whole", text).advise("write day and hour alone, from 00:00 to 23:59, as " + day + " 18:30")
}

// unsure complains of a day and an hour, as they were understood, where what was typed
// says more, nothing that there is, or two things.
func unsure(text, rest string, dates []string, clock string, loc *time.Location, now time.Time) *complaint {
	day := exampleDay(now)
	if len(dates) == 1 {
		day = dates[0]
	}
	if leftover(rest, loc) {
		return notWhole(text, day)
	}
	if p := halved.FindStringSubmatch(rest); p != nil {
		switch late := p[1] > "12" && len(p[1]) == 2; {
		case late && p[3] == "am", strings.Trim(p[1], "0") == "":
			return notWhole(text, day)
		case p[1] == "12" && strings.Trim(p[2], "0") == "" && len(dates) == 1:
			return complain("%q is noon to some and midnight to others", text).advise(fmt.Sprintf("write %[1]s 12:00 for noon, or %[1]s 00:00 for the day's beginning", day))
		}
	}
	if len(clock) == len("15:04") {
		clock += ":00"
	}
	for _, date := range dates {
		wall, err := time.Parse(localForm, date+" "+clock)
		if err == nil && loc != nil && len(instantsOf(wall, loc)) == 0 {
			return complain("%s skips this hour on %s", loc, date).advise("choose another hour")
		}
	}
	return nil
}

// noHour complains of a day without an hour that is understood.
func noHour(text, rest string, dates []string, loc *time.Location, now time.Time) *complaint {
	if at := hour24.FindStringIndex(rest); at != nil && len(dates) == 1 && !leftover(rest[:at[0]]+" "+rest[at[1]:], loc) {
		day, _ := time.Parse(time.DateOnly, dates[0]) // it is in the calendar
		return complain("%q is not on the clock", text).advise("write " + day.AddDate(0, 0, 1).Format(time.DateOnly) + " 00:00")
	}
	if restWord.MatchString(rest) && leftover(clockText.ReplaceAllString(rest, " x "), loc) {
		day := exampleDay(now)
		if len(dates) == 1 {
			day = dates[0]
		}
		return notWhole(text, day)
	}
	days := slices.Clone(dates)
	for i := range days {
		days[i] += " 10:00"
	}
	return complain("%q has no hour", text).advise("write it behind the day, as " + strings.Join(days, " or "))
}

// yearsFirst adds to the days that a text may name the one whose year stands first, in two
// digits.
func yearsFirst(plain string, dates []string) []string {
	p := twoDashed.FindStringSubmatch(plain)
	if p == nil || len(dates) == 0 {
		return dates
	}
	if date := "20" + p[1] + "-" + p[2] + "-" + p[3]; inCalendar(date) && !slices.Contains(dates, date) {
		dates = append(dates, date)
	}
	return dates
}

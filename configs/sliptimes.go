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

var (
	yearFirst = regexp.MustCompile(`\b(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?:t|\b)`)
	dayFirst  = regexp.MustCompile(`\b(\d{1,2})([-./]) ?(\d{1,2})[-./] ?(\d{4}|\d{2})\b`)
	dayOnly   = regexp.MustCompile(`\b(\d{1,2})([./]) ?(\d{1,2})\.?(?: |$)`)
	dayMonth  = regexp.MustCompile(`\b(\d{1,2})(?:st|nd|rd|th|\.)? ?(?:of |de )?(\pL{3,10})\.?,? ?(?:de )?(\d{4})?\b`)
	monthDay  = regexp.MustCompile(`\b(\pL{3,10})\.? (\d{1,2})(?:st|nd|rd|th|\.)?,? ?(\d{4})?\b`)
	clockText = regexp.MustCompile(`\b(\d{1,2})(?: ?[:.h] ?(\d{2}))?(?::(\d{2}))?(?:\.\d+)? ?(am|pm|a\.m\.?|p\.m\.?|uhr|h|o'?clock|noon|hours|hrs|z)?(?: |$|,)`)
)

var monthNames = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// monthSpellings are those of other languages by which a month can be told.
var monthSpellings = map[string]int{"januar": 1, "februar": 2, "märz": 3, "maerz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10, "okt": 10, "dezember": 12, "dez": 12, "sept": 9,
	"janvier": 1, "janv": 1, "février": 2, "fevrier": 2, "févr": 2, "mars": 3, "avril": 4, "avr": 4, "juin": 6, "juillet": 7, "juil": 7, "août": 8, "aout": 8, "septembre": 9, "octobre": 10, "novembre": 11, "décembre": 12, "decembre": 12, "déc": 12,
	"enero": 1, "ene": 1, "febrero": 2, "marzo": 3, "abril": 4, "abr": 4, "mayo": 5, "junio": 6, "julio": 7, "agosto": 8, "ago": 8, "septiembre": 9, "setiembre": 9, "octubre": 10, "noviembre": 11, "diciembre": 12, "dic": 12}

func month(name string) int {
	name = strings.ToLower(name)
	for i, full := range monthNames {
		if len(name) >= 3 && strings.HasPrefix(full, name) {
			return i + 1
		}
	}
	return monthSpellings[name]
}

// meantDates are the days that a text may name, as the files write them, and the rest of
// the text. A day that the calendar does not have is among them.
func meantDates(text string) (dates []string, rest string) {
	date := func(y, m, d string) string {
		if len(y) == 2 {
			y = "20" + y
		}
		return y + "-" + twoDigits(m) + "-" + twoDigits(d)
	}
	cut := func(at []int) string { return text[:at[0]] + " " + text[at[1]:] }
	if p := yearFirst.FindStringSubmatch(text); p != nil {
		return []string{date(p[1], p[2], p[3])}, cut(yearFirst.FindStringIndex(text))
	}
	if p := dayFirst.FindStringSubmatch(text); p != nil && !isHour(text, dayFirst.FindStringIndex(text)[1]) {
		european, american := date(p[4], p[3], p[1]), date(p[4], p[1], p[3])
		first, _ := strconv.Atoi(p[1])
		second, _ := strconv.Atoi(p[3])
		switch {
		case p[2] == "." || second <= 12 && first > 12 || first == second:
			dates = []string{european}
		case second > 12 && first <= 12:
			dates = []string{american}
		default:
			dates = []string{european, american}
		}
		return dates, cut(dayFirst.FindStringIndex(text))
	}
	for _, form := range []struct {
		pattern    *regexp.Regexp
		day, month int
	}{{dayMonth, 1, 2}, {monthDay, 2, 1}} {
		if p := form.pattern.FindStringSubmatch(text); p != nil && month(p[form.month]) > 0 {
			year := p[3]
			if year == "" {
				year = "YEAR"
			}
			return []string{date(year, strconv.Itoa(month(p[form.month])), p[form.day])}, cut(form.pattern.FindStringIndex(text))
		}
	}
	if p := dayOnly.FindStringSubmatch(text); p != nil {
		first, _ := strconv.Atoi(p[1])
		second, _ := strconv.Atoi(p[3])
		if second <= 12 {
			dates = append(dates, date("YEAR", p[3], p[1]))
		}
		if p[2] == "/" && first <= 12 && first != second {
			dates = append(dates, date("YEAR", p[1], p[3]))
		}
		if dates != nil {
			return dates, cut(dayOnly.FindStringIndex(text))
		}
	}
	return nil, text
}

func twoDigits(n string) string {
	if len(n) < 2 {
		return "0" + n
	}
	return n
}

// isHour reports whether what was taken for a year of two digits is an hour.
func isHour(text string, end int) bool {
	return end < len(text) && strings.ContainsRune(":.h", rune(text[end]))
}

// meantClock is the time of day that a text names, as the files write it.
func meantClock(text string) (string, bool) {
	p := clockText.FindStringSubmatch(text)
	if p == nil || p[2] == "" && p[4] == "" {
		if strings.Contains(text, "noon") {
			return "12:00", true
		}
		if strings.Contains(text, "midnight") || strings.Contains(text, "mitternacht") {
			return "00:00", true
		}
		return "", false
	}
	hour, _ := strconv.Atoi(p[1])
	switch half := strings.TrimRight(p[4], "."); {
	case strings.HasPrefix(half, "p") && hour < 12:
		hour += 12
	case strings.HasPrefix(half, "a") && hour == 12:
		hour = 0
	}
	minute := p[2]
	if minute == "" {
		minute = "00"
	}
	clock := fmt.Sprintf("%02d:%s", hour, minute)
	if p[3] != "" && p[3] != "00" {
		clock += ":" + p[3]
	}
	return clock, hour < 24 && minute < "60"
}

// instantComplaint says what is wrong with what is no instant, and what it probably is on
// the clocks of a zone; nil where that has a fault of its own.
func instantComplaint(text string, loc *time.Location, now time.Time) *complaint {
	plain := evened(spelledOut(text))
	dates, rest := meantDates(plain)
	dates = yearsFirst(plain, dates)
	clock, timed := meantClock(rest)
	wrong := complain("%q is not a time as it is written here", text)
	switch {
	case len(dates) > 0 && strings.Contains(dates[0], "YEAR"):
		return complain("%q has no year", text).advise("write day and hour as " + exampleDay(now) + " 10:00")
	case len(dates) > 0 && !inCalendar(dates[0]):
		return noSuchDay(text, dates[0], now)
	case len(dates) > 0 && timed:
		dates = slices.DeleteFunc(dates, func(d string) bool { return !inCalendar(d) })
		dates, c := ofWeekday(dates, plain)
		if c != nil {
			return c
		}
		if len(dates) == 1 {
			if c := cmp.Or(spanOfHours(text, dates[0], rest), elsewhere(text, plain, loc)); c != nil {
				return c
			}
			if strings.Contains(rest, "midnight") || strings.Contains(rest, "mitternacht") {
				day, _ := time.Parse(time.DateOnly, dates[0]) // it is in the calendar
				return complain("%q belongs to two days", text).advise(fmt.Sprintf("write %s 00:00 for its beginning, or %s 00:00 for its end", dates[0], day.AddDate(0, 0, 1).Format(time.DateOnly)))
			}
		}
		if c := unsure(text, rest, dates, clock, loc, now); c != nil {
			return c
		}
		for i := range dates {
			dates[i] += " " + clock
		}
		return wrong.advise("write " + strings.Join(dates, " or "))
	case len(dates) > 0:
		return noHour(text, rest, dates, loc, now)
	case timed && leftover(rest, loc):
		return notWhole(text, exampleDay(now))
	case timed:
		return complain("%q has no date", text).advise("write both, as " + exampleDay(now) + " " + clock)
	}
	return complain("%q is not a time", text).advise("write day and hour as " + exampleDay(now) + " 10:00")
}

func inCalendar(date string) bool {
	_, err := time.Parse(time.DateOnly, date)
	return err == nil
}

// noSuchDay says how long a month is of which a day is written that it does not have.
func noSuchDay(text, date string, now time.Time) *complaint {
	wrong := complain("%q is not in the calendar", text)
	first, err := time.Parse(time.DateOnly, date[:8]+"01")
	if err != nil {
		return wrong.advise("write day and hour as " + exampleDay(now) + " 10:00")
	}
	return wrong.advise(fmt.Sprintf("%s has %d days", first.Format("January 2006"), first.AddDate(0, 1, -1).Day()))
}

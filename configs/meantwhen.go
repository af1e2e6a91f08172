package configs

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Who is asked and sees what was understood before it counts may say it as people do: the
// answer is what a file would say. In a file nothing is guessed so; there it is advice.

var (
	asWritten = regexp.MustCompile(`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}(:\d{2})?( ?(z|[+-]\d{2}:\d{2}))?$`)

	// Hours, the surest form first: one with a dot may be a day, too.
	hourForms = []*regexp.Regexp{
		regexp.MustCompile(`(?:^| )(\d{1,2})[:.](\d{2}) ?(am|pm)(?: |$)`),
		regexp.MustCompile(`(?:^| )(\d{1,2})()(?: ?)(am|pm)(?: |$)`),
		regexp.MustCompile(`(?:^| )(\d{1,2})[:h](\d{2})(?: uhr)?()(?: |$)`),
		regexp.MustCompile(`(?:^| )(\d{1,2})\.(\d{2}) uhr()(?: |$)`),
		regexp.MustCompile(`(?:^| )(\d{1,2})()(?: uhr| o'clock|h)()(?: |$)`),
		regexp.MustCompile(`(?:^| )(\d{1,2})\.(\d{2})()(?: |$)`),
	}

	// repeats begins what comes again and again, in a few languages.
	repeats = regexp.MustCompile(`(?i)^(?:every |each |jeden?r?s? |täglich|chaque |tous les |cada |todos los |ogni |elke |daily|(?:on )?[a-z]+days\b)`)

	errMidnight = errors.New("midnight belongs to two days, write 00:00 with the day that begins then")
)

// aroundDay are words that say nothing beside a day.
var aroundDay = []string{"at", "um", "on", "the", "den", "dem", "der", "le", "el"}

// MeantWhen is the day and its hour that somebody means, as files write them: for "next
// Friday 10am", "27.11., 10 Uhr" or "tomorrow noon". now is on the clocks of the sale's
// zone. What is not understood whole is given as it is, for the rules of files to say what
// is wrong with it; what can be meant in two ways is an error.
func MeantWhen(text string, now time.Time) (string, error) {
	plain := strings.ToLower(strings.Join(strings.Fields(text), " "))
	if asWritten.MatchString(plain) {
		return strings.ToUpper(plain), nil
	}
	if plain = plainly(plain); strings.Contains(plain, "midnight") {
		return "", errMidnight
	}
	hour, day, err := cutHour(plain)
	if err != nil {
		return "", err
	}
	date, err := meantDay(day, now)
	switch {
	case err != nil:
		return "", err
	case date == "" && (day != "" || hour == ""):
		return text, nil
	}
	return strings.TrimSpace(date + " " + hour), nil
}

// MeantHour is the hour that somebody means, as 18:00; ok is false where a text says
// anything else, or could be two hours.
func MeantHour(text string) (hour string, ok bool) {
	hour, rest, err := cutHour(plainly(strings.ToLower(strings.TrimSpace(text))))
	return hour, err == nil && hour != "" && rest == ""
}

// MeantSpan is how long somebody means: "10 minutes", "half an hour", "30 min before", and
// what files write, too.
func MeantSpan(text string) (length time.Duration, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if length, ok := parseSpan(text); ok {
		return length, length > 0
	}
	if strings.HasPrefix(text, "-") {
		return 0, false
	}
	return meantSpan(sideText.FindStringSubmatch(text)[1])
}

// MeantRepeat is what files write for a text that begins as one of a few languages begins
// what comes again and again: "every Thursday 18:00" for "jeden Donnerstag 18 Uhr". What is
// not understood of it is given as it is; ok is false where it is no such text.
func MeantRepeat(text string) (meant string, ok bool) {
	if !repeats.MatchString(text) {
		return "", false
	}
	if meant, ok := meantRepeat(text); ok && !rarer.MatchString(text) {
		return meant, true
	}
	return text, true
}

// plainly is a text in small letters with its day and hour as most write them.
func plainly(text string) string {
	return strings.NewReplacer(", ", " ", ",", " ", " at ", " ", "noon", "12:00").Replace(evened(spelledOut(text)))
}

// cutHour finds the hour in a text and gives it with what is left; none where there is
// no hour, or more than one thing that may be it.
func cutHour(text string) (hour, rest string, err error) {
	for _, form := range hourForms {
		at := form.FindAllStringSubmatchIndex(text, -1)
		if len(at) != 1 {
			continue
		}
		m := form.FindStringSubmatch(text)
		h, _ := strconv.Atoi(m[1]) // the forms let only digits through
		minute, _ := strconv.Atoi(m[2])
		if h > 23 || minute > 59 {
			continue
		}
		if m[3] != "" {
			switch {
			case h == 12:
				return "", "", fmt.Errorf("%s is read as noon by some and as midnight by others, write 12:00 or 00:00", strings.TrimSpace(m[0]))
			case h > 12 && m[3] == "am", h == 0:
				continue
			case h < 12 && m[3] == "pm":
				h += 12
			}
		}
		rest = strings.Join(strings.Fields(text[:at[0][0]]+" "+text[at[0][1]:]), " ")
		return fmt.Sprintf("%02d:%02d", h, minute), rest, nil
	}
	return "", text, nil
}

// meantDay is a day as files write it, though it may be none of the calendar; empty where
// it is not understood.
func meantDay(text string, now time.Time) (string, error) {
	text = strings.TrimPrefix(text, "on ")
	switch text {
	case "today":
		return now.Format(time.DateOnly), nil
	case "tomorrow":
		return now.AddDate(0, 0, 1).Format(time.DateOnly), nil
	case "day after tomorrow", "the day after tomorrow":
		return now.AddDate(0, 0, 2).Format(time.DateOnly), nil
	}
	name, word := text, ""
	if first, rest, _ := strings.Cut(text, " "); slices.Contains([]string{"next", "this", "coming"}, first) {
		name, word = rest, first
	}
	name = strings.TrimSuffix(name, ".")
	if day, ok := weekdayOf(name); ok && month(name) == 0 && !strings.Contains(name, " ") {
		return coming(day, word, now)
	}
	return meantDate(text, now)
}

// coming is the first such day after today. Whether somebody means today where it is
// today's name, nobody knows.
func coming(day time.Weekday, word string, now time.Time) (string, error) {
	ahead := (int(day) - int(now.Weekday()) + 7) % 7
	if ahead == 0 {
		if word != "next" {
			return "", fmt.Errorf("today is a %s, write today or the date", day)
		}
		ahead = 7
	}
	return now.AddDate(0, 0, ahead).Format(time.DateOnly), nil
}

// meantDate is meantDay of a date. Without a year it is the first such day from today on.
func meantDate(text string, now time.Time) (string, error) {
	dates, rest := meantDates(text)
	dates = yearsFirst(text, dates)
	if len(dates) == 0 || strange(rest, aroundDay) {
		return "", nil
	}
	for i, date := range dates {
		day, yearless := strings.CutPrefix(date, "YEAR")
		if !yearless {
			continue
		}
		dates[i] = strconv.Itoa(now.Year()) + day
		if dates[i] < now.Format(time.DateOnly) {
			dates[i] = strconv.Itoa(now.Year()+1) + day
		}
	}
	if !slices.ContainsFunc(dates, func(date string) bool { return !inCalendar(date) }) {
		fit, c := ofWeekday(dates, text)
		if c != nil {
			return "", fmt.Errorf("%s: %s", c.wrong, c.right)
		}
		dates = fit
	}
	if len(dates) > 1 {
		return "", fmt.Errorf("%s can be read in two ways, write %s", text, strings.Join(dates, " or "))
	}
	return dates[0], nil
}

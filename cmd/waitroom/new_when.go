package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fileTime is how files write a day and its hour.
const fileTime = "2006-01-02 15:04"

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

	yearFirst  = regexp.MustCompile(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$`)
	dotted     = regexp.MustCompile(`^(\d{1,2})\. ?(\d{1,2})\.? ?(\d{4}|\d{2})?$`)
	slashed    = regexp.MustCompile(`^(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d{2})$`)
	dayMonth   = regexp.MustCompile(`^(?:the )?(\d{1,2})(?:st|nd|rd|th|\.)? (?:of )?([a-z]{3,9})\.?(?: (\d{4}))?$`)
	monthDay   = regexp.MustCompile(`^([a-z]{3,9})\.? (?:the )?(\d{1,2})(?:st|nd|rd|th)?(?: (\d{4}))?$`)
	everyForm  = regexp.MustCompile(`^(?:every|each) (.+)$`)
	pluralDays = regexp.MustCompile(`^(?:on )?((?:[a-z]+days?(?: and |, | )?)+)$`)
)

var errMidnight = errors.New("midnight belongs to two days, write 00:00 with the day that begins then")

// understand reads what people type for a day and its hour, or for a repetition, and gives
// it as files write it. now is in the time zone of the sale. What it does not understand
// it leaves as it is, for the rules of files to say what is wrong with it; what can be
// meant in two ways is an error.
func understand(text string, now time.Time) (string, error) {
	plain := strings.ToLower(strings.Join(strings.Fields(text), " "))
	if asWritten.MatchString(plain) {
		return strings.ToUpper(plain), nil
	}
	plain = strings.NewReplacer(", ", " ", ",", " ", " at ", " ", "a.m.", "am", "p.m.", "pm", "noon", "12:00").Replace(plain)
	if strings.Contains(plain, "midnight") {
		return "", errMidnight
	}
	hour, day, err := cutHour(plain)
	if err != nil {
		return "", err
	}
	if days, ok := repeated(day); ok {
		if hour == "" {
			return "", fmt.Errorf("%q has no hour, write it behind it, as every %s 18:00", text, days)
		}
		return "every " + days + " " + hour, nil
	}
	date, err := readDay(day, now)
	switch {
	case err != nil:
		return "", err
	case date == "" && !(hour != "" && day == ""):
		return text, nil
	}
	return strings.TrimSpace(date + " " + hour), nil
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

// repeated reads the days of a repetition: "every thu", "each monday and friday",
// "thursdays", "daily", "weekdays".
func repeated(text string) (days string, ok bool) {
	switch text {
	case "daily", "every day", "each day":
		return "day", true
	case "weekdays", "every weekday", "on weekdays":
		return "Monday, Tuesday, Wednesday, Thursday and Friday", true
	}
	m := everyForm.FindStringSubmatch(text)
	if m == nil {
		if m = pluralDays.FindStringSubmatch(text); m == nil || !strings.Contains(text, "days") {
			return "", false
		}
	}
	var names []string
	for _, word := range strings.Fields(strings.ReplaceAll(m[1], ",", " ")) {
		if word == "and" {
			continue
		}
		day, known := weekdayNamed(strings.TrimSuffix(word, "s"))
		if !known {
			if day, known = weekdayNamed(word); !known {
				return m[1], true // the rules of files say what is wrong with it
			}
		}
		names = append(names, day.String())
	}
	switch len(names) {
	case 0: // nothing but "and"
		return "", false
	case 1:
		return names[0], true
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1], true
}

// weekdayNamed reads the name of a day, or its first three letters or more.
func weekdayNamed(word string) (time.Weekday, bool) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if len(word) >= 3 && strings.HasPrefix(strings.ToLower(day.String()), word) {
			return day, true
		}
	}
	return 0, false
}

// readDay reads a date, as 2006-01-02 though it may be none of the calendar; empty where
// it is not understood.
func readDay(text string, now time.Time) (string, error) {
	switch text {
	case "":
		return "", nil
	case "today":
		return now.Format(time.DateOnly), nil
	case "tomorrow":
		return now.AddDate(0, 0, 1).Format(time.DateOnly), nil
	case "day after tomorrow", "the day after tomorrow":
		return now.AddDate(0, 0, 2).Format(time.DateOnly), nil
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(text, "on "), " ")
	if first == "next" || first == "this" || first == "coming" {
		if day, ok := weekdayNamed(rest); ok {
			return coming(day, first, now)
		}
		return "", nil
	}
	day, named := weekdayNamed(strings.TrimSuffix(first, "."))
	if named && rest == "" {
		return coming(day, "", now)
	}
	if !named {
		rest = strings.TrimPrefix(text, "on ")
	}
	date, err := readDate(rest, now)
	if t, bad := time.Parse(time.DateOnly, date); err == nil && named && bad == nil && t.Weekday() != day {
		return "", fmt.Errorf("%s is a %s, not a %s: correct one of the two", t.Format("2 January 2006"), t.Weekday(), day)
	}
	return date, err
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

// readDate reads a date in one of the forms that people write.
func readDate(text string, now time.Time) (string, error) {
	switch {
	case yearFirst.MatchString(text):
		m := yearFirst.FindStringSubmatch(text)
		return dateOf(m[1], m[2], m[3], now), nil
	case dotted.MatchString(text):
		m := dotted.FindStringSubmatch(text)
		return dateOf(m[3], m[2], m[1], now), nil
	case slashed.MatchString(text):
		m := slashed.FindStringSubmatch(text)
		a, _ := strconv.Atoi(m[1])
		b, _ := strconv.Atoi(m[2])
		dayFirst, monthFirst := dateOf(m[3], m[2], m[1], now), dateOf(m[3], m[1], m[2], now)
		switch {
		case a > 12, a == b:
			return dayFirst, nil
		case b > 12:
			return monthFirst, nil
		}
		return "", fmt.Errorf("%s can be read in two ways, write %s or %s", text, dayFirst, monthFirst)
	}
	if m := dayMonth.FindStringSubmatch(text); m != nil {
		if month := monthNamed(m[2]); month != "" {
			return dateOf(m[3], month, m[1], now), nil
		}
	}
	if m := monthDay.FindStringSubmatch(text); m != nil {
		if month := monthNamed(m[1]); month != "" {
			return dateOf(m[3], month, m[2], now), nil
		}
	}
	return "", nil
}

// monthNamed is the number of a month; empty if it is none.
func monthNamed(word string) string {
	at := slices.IndexFunc(months, func(name string) bool { return len(word) >= 3 && strings.HasPrefix(name, word) })
	if word == "sept" {
		at = 8
	}
	if at < 0 {
		return ""
	}
	return strconv.Itoa(at + 1)
}

var months = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// dateOf puts a date together. Without a year it is the first such day from today on.
func dateOf(year, month, day string, now time.Time) string {
	write := func(year string) string {
		m, _ := strconv.Atoi(month)
		d, _ := strconv.Atoi(day)
		return fmt.Sprintf("%s-%02d-%02d", year, m, d)
	}
	switch len(year) {
	case 4:
		return write(year)
	case 2:
		return write("20" + year)
	}
	if date := write(strconv.Itoa(now.Year())); date >= now.Format(time.DateOnly) {
		return date
	}
	return write(strconv.Itoa(now.Year() + 1))
}

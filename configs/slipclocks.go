package configs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	eastDate  = regexp.MustCompile(`(\d{4}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일号號]`)
	eastClock = regexp.MustCompile(`(午前|上午|오전|午後|下午|오후)? ?(\d{1,2})(?: ?[時时点點시] ?(?:(\d{1,2}) ?[分분])?|:(\d{2}))`)
	dateT     = regexp.MustCompile(`(\d)t(\d)`)

	spanText = regexp.MustCompile(`(?:^| )(\d{1,2}(?:[:.]\d{2})?) ?(am|pm|uhr|h)? ?(?:-|–|—|to|bis|until|till|hasta) ?(\d{1,2}(?:[:.]\d{2})?) ?(am|pm|uhr|h)?\.? *$`)
	zoneTail = regexp.MustCompile(`^(.*\d(?:\.\d+)?(?: ?(?:am|pm|uhr|h))?) ?\(?(z|(?:utc|gmt)? ?[+-] ?\d{1,2}(?::?\d{2})?|[a-z]{3,4})\)?$`)
	distant  = regexp.MustCompile(`([+-]) ?(\d{1,2}):?(\d{2})?$`)
	sideText = regexp.MustCompile(`(?s)^(?:\+|-|after |in |nach |before |vor )? ?(.*?)(?: (?:before|earlier|later|after|vorher|davor|danach|später|nachher)\b.*)?$`)
)

// exampleDay is a day ahead, as examples name one: the next Friday. Without an instant it
// is that of the documentation.
func exampleDay(now time.Time) string {
	if now.IsZero() {
		return example[:len(time.DateOnly)]
	}
	return now.AddDate(0, 0, 1+int(time.Friday+6-now.Weekday())%7).Format(time.DateOnly)
}

// spelledOut is a text in small letters, with days and hours that are written in other
// scripts, or with a T between them, as the Western ones are.
func spelledOut(text string) string {
	text = eastDate.ReplaceAllString(strings.ToLower(text), "$1-$2-$3 ")
	text = eastClock.ReplaceAllStringFunc(text, func(found string) string {
		p := eastClock.FindStringSubmatch(found)
		half := map[string]string{"午前": " am", "上午": " am", "오전": " am", "午後": " pm", "下午": " pm", "오후": " pm"}[p[1]]
		if p[4] != "" && half == "" {
			return found
		}
		minute := p[3] + p[4]
		if minute == "" {
			minute = "0"
		}
		return p[2] + ":" + twoDigits(minute) + half
	})
	return dateT.ReplaceAllString(text, "$1 $2")
}

// inFile is an instant as a file writes it on a zone's clocks.
func inFile(t time.Time, loc *time.Location) string {
	text := strings.TrimSuffix(t.In(loc).Format(localForm), ":00")
	if wall, err := time.Parse(localForm, t.In(loc).Format(localForm)); err == nil && len(instantsOf(wall, loc)) > 1 {
		text += " " + offsetOf(t.In(loc))
	}
	return text
}

// ofWeekday are those of the dates that fall on the day of the week that a text names, or
// a complaint if none does.
func ofWeekday(dates []string, text string) ([]string, *complaint) {
	day, named := time.Weekday(0), false
	for _, word := range dayText.FindAllString(text, -1) {
		if d, ok := weekdayOf(word); ok && month(word) == 0 {
			day, named = d, true
		}
	}
	if !named {
		return dates, nil
	}
	var fit []string
	for _, date := range dates {
		if t, _ := time.Parse(time.DateOnly, date); t.Weekday() == day {
			fit = append(fit, date)
		}
	}
	if fit == nil {
		t, _ := time.Parse(time.DateOnly, dates[0])
		return nil, complain("%s is a %s, not a %s", t.Format("2 January 2006"), t.Weekday(), day).advise("correct one of the two")
	}
	return fit, nil
}

// spanOfHours complains of two hours in one text: each has a key of its own.
func spanOfHours(text, date, rest string) *complaint {
	p := spanText.FindStringSubmatch(strings.TrimSpace(rest))
	if p == nil {
		return nil
	}
	if p[2] == "" && !strings.ContainsAny(p[1], ":.") {
		p[2] = p[4]
	}
	from, one := meantClock(p[1] + " " + p[2] + " ")
	until, two := meantClock(p[3] + " " + p[4] + " ")
	if !one || !two || until <= from {
		return nil
	}
	return complain("%q is a span", text).advise(fmt.Sprintf("write %s %s, and %s %s under closes", date, from, date, until))
}

// offsetSpan is the same of 10:00-12:00, of which the end looks like a distance to UTC.
func offsetSpan(text string, wall time.Time, offset string) *complaint {
	date, rest, _ := strings.Cut(text, " ")
	if offset[0] != '-' || wall.Second() != 0 {
		return nil
	}
	return spanOfHours(text, date, rest)
}

// elsewhere complains of an hour with a distance to UTC, or with another zone's name,
// behind it: the file's own clocks show another hour then.
func elsewhere(text, plain string, loc *time.Location) *complaint {
	p := zoneTail.FindStringSubmatch(plain)
	if p == nil || loc == nil {
		return nil
	}
	if cities := ofSeveral[p[2]]; cities != nil {
		return complain("%q has the time of several places: %s", text, either(cities)).advise("write day and hour on the clocks of " + loc.String() + ", without " + strings.ToUpper(p[2]))
	}
	there := time.UTC
	switch found := distant.FindStringSubmatch(p[2]); {
	case found != nil:
		hours, _ := strconv.Atoi(found[2])
		minutes, _ := strconv.Atoi("0" + found[3])
		if hours > 14 || minutes > 59 {
			return nil
		}
		seconds := hours*3600 + minutes*60
		if found[1] == "-" {
			seconds = -seconds
		}
		there = time.FixedZone("", seconds)
	case p[2] == "z", p[2] == "utc", p[2] == "gmt":
	default:
		city, err := time.LoadLocation(ofCountries[p[2]])
		if err != nil || ofCountries[p[2]] == "" {
			return nil
		}
		there = city
	}
	dates, rest := meantDates(p[1])
	clock, ok := meantClock(rest)
	if !ok || len(dates) != 1 {
		return nil
	}
	if len(clock) == 5 {
		clock += ":00"
	}
	t, err := time.ParseInLocation(localForm, dates[0]+" "+clock, there)
	if err != nil {
		return nil
	}
	return complain("%q is not a time as it is written here", text).advise("write " + inFile(t, loc))
}

// besideOpening reads a time of a dated sale. Of the doors and the closing it knows what
// is meant by an hour alone, and by how long before or after the opening.
func besideOpening(key string, s *Sale, d *document) func(string) (time.Time, *complaint) {
	parse := instant(s.Zone, d.now)
	return func(text string) (time.Time, *complaint) {
		t, c := parse(text)
		if c == nil || key == "opens" || s.Zone == nil {
			return t, c
		}
		opens := s.Opens
		if key == "doors" { // which stand before it
			opens = d.opening(parse)
		}
		if opens.IsZero() {
			return t, c
		}
		plain := spelledOut(strings.TrimSpace(text))
		if length, ok := meantSpan(sideText.FindStringSubmatch(plain)[1]); ok {
			if key == "doors" {
				length = -length
			}
			return t, complain("%q is a length of time, and an hour stands here", text).advise("write " + inFile(opens.Add(length), s.Zone))
		}
		dates, rest := meantDates(plain)
		clock, ok := meantClock(rest)
		if len(dates) > 0 || !ok || spanText.MatchString(strings.TrimSpace(rest)) {
			return t, c
		}
		day := opens.In(s.Zone).Format(time.DateOnly)
		at, wrong := parse(day + " " + clock)
		if wrong == nil && key == "closes" && !at.After(opens) {
			day = opens.In(s.Zone).AddDate(0, 0, 1).Format(time.DateOnly)
		}
		if wrong != nil || key == "doors" && at.After(opens) {
			return t, c
		}
		return t, complain("%q has no date", text).advise("write " + day + " " + clock)
	}
}

// aroundRuns reads how long before or after its openings the doors of a sale that repeats
// open, or it closes, and knows what is meant by an hour.
func aroundRuns(key string, s *Sale, parse func(string) (time.Duration, *complaint)) func(string) (time.Duration, *complaint) {
	return func(text string) (time.Duration, *complaint) {
		length, c := parse(text)
		dates, rest := meantDates(evened(spelledOut(strings.TrimSpace(text))))
		clock, ok := meantClock(rest)
		if c == nil || !ok || len(dates) > 0 || len(clock) != len("15:04") || leftover(rest, s.Zone) {
			return length, c
		}
		side, right := "before it opens", "30m"
		if key == "closes" {
			side, right = "after it opens", "2h"
		}
		wrong := complain("%q is an hour, and with repeat it says how long %s", text, side)
		hour, _ := time.Parse("15:04", clock) // meantClock writes no other
		apart := time.Duration(hour.Hour()-s.rep.hour)*time.Hour + time.Duration(hour.Minute()-s.rep.minute)*time.Minute
		if key == "doors" {
			apart = -apart
		}
		apart = (apart + 24*time.Hour) % (24 * time.Hour)
		if s.rep.days == [7]bool{} || key == "doors" && apart > 12*time.Hour || apart == 0 {
			return 0, wrong.advise("write it as " + right)
		}
		return 0, wrong.advise("write " + Short(apart))
	}
}

var opensLine = regexp.MustCompile(`^opens:\s+["']?([^"'#]+)`)

// opening is when the file says that it opens, if that can be read.
func (d *document) opening(parse func(string) (time.Time, *complaint)) time.Time {
	for _, line := range d.lines {
		if p := opensLine.FindStringSubmatch(line); p != nil {
			if t, c := parse(strings.TrimSpace(p[1])); c == nil {
				return t
			}
		}
	}
	return time.Time{}
}

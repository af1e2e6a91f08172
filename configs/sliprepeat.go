package configs

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

var (
	repeatClock = regexp.MustCompile(`\b\d{1,2}(?:[:.h]\d{2}(?::00)?)? ?(?:am|pm|uhr|o'?clock|h)?(?: |,|$)`)
	repeatWord  = regexp.MustCompile(`[\pL']+|[^\pL\s]`)
)

// repeatFillers are words that say nothing in a repetition, and those between its days.
var repeatFillers = []string{"every", "each", "jeden", "jede", "jeder", "immer", "chaque", "tous", "toutes", "les", "cada", "todos", "los", "on", "at", "um", "à", "a", "las", "the", "and", "und", "et", "y", "&", "+", ",", "uhr"}

// dayGroups are words for several days of the week.
var dayGroups = map[string][]time.Weekday{
	"day": everyDay, "days": everyDay, "daily": everyDay, "täglich": everyDay, "tag": everyDay, "jours": everyDay, "jour": everyDay, "días": everyDay, "día": everyDay,
	"weekday": everyDay[:5], "weekdays": everyDay[:5], "weekend": everyDay[5:], "weekends": everyDay[5:],
}

var everyDay = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday}

// meantRepeat is what is meant by "each thursday 6pm" or "Mon-Fri 18:00": nothing where a
// word is not understood, or where there is not one hour.
func meantRepeat(text string) (string, bool) {
	text = strings.ReplaceAll(evened(strings.ToLower(strings.TrimSpace(text))), "noon", "12:00")
	clocks := repeatClock.FindAllStringIndex(text, -1)
	if len(clocks) != 1 {
		return "", false
	}
	from, to := clocks[0][0], clocks[0][1]
	clock, ok := meantClock(text[from:to] + " ")
	if p := halved.FindStringSubmatch(text[from:to]); p != nil && (p[1] == "12" || p[1] > "12" && len(p[1]) == 2 || strings.Trim(p[1], "0") == "") {
		return "", false
	}
	days, known := namedDays(text[:from] + " " + text[to:])
	if !ok || len(clock) != len("15:04") || !known {
		return "", false
	}
	return everyOf(days) + " " + clock, true
}

// everyOf are days of the week as a repetition names them.
func everyOf(days []time.Weekday) string {
	if len(days) == 7 {
		return "every day"
	}
	names := make([]string, len(days))
	for i, day := range days {
		names[i] = day.String()
	}
	last := len(names) - 1
	if last == 0 {
		return "every " + names[0]
	}
	return "every " + strings.Join(names[:last], ", ") + " and " + names[last]
}

// namedDays are the days of the week that a text names, each once, if it says nothing else.
func namedDays(text string) (days []time.Weekday, known bool) {
	ranging := false
	for _, word := range repeatWord.FindAllString(text, -1) {
		day, named := weekdayOf(word)
		group := dayGroups[word]
		switch {
		case slices.Contains([]string{"-", "–", "—", "to", "through", "thru", "till", "bis"}, word):
			if ranging || len(days) == 0 {
				return nil, false
			}
			ranging = true
			continue
		case ranging && !named:
			return nil, false
		case ranging:
			for next := (days[len(days)-1] + 1) % 7; next != day; next = (next + 1) % 7 {
				group = append(group, next)
			}
			group, ranging = append(group, day), false
		case named:
			group = []time.Weekday{day}
		case group == nil && !slices.Contains(repeatFillers, word):
			return nil, false
		}
		for _, day := range group {
			if !slices.Contains(days, day) {
				days = append(days, day)
			}
		}
	}
	return days, !ranging && len(days) > 0
}

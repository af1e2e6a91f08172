package configs

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// spanPart is a number with a unit of time, in a few languages.
var spanPart = regexp.MustCompile(`^(?:(\d+)(?:[.,](\d{1,2}))?|an?|one|half an) ?(h|hr|hrs|hours?|stunden?|std|heures?|horas?|m|min|mins|minutes?|minuten?|minutos?|s|sec|secs|seconds?|sekunden?|sek|d|days?|tage?)\.?(?:,? and |,? und |, ?| |$)`)

// meantSpan is the duration that is probably meant by 10 minutes, 1,5 h or half an hour.
func meantSpan(text string) (time.Duration, bool) {
	rest, total := strings.ToLower(strings.TrimSpace(text)), time.Duration(0)
	for rest != "" {
		p := spanPart.FindStringSubmatch(rest)
		if p == nil {
			return 0, false
		}
		unit := map[byte]time.Duration{'h': time.Hour, 'm': time.Minute, 's': time.Second, 'd': 24 * time.Hour, 't': 24 * time.Hour}[p[3][0]]
		if strings.HasPrefix(p[3], "st") {
			unit = time.Hour
		}
		amount := 1.0
		switch {
		case p[1] != "":
			amount, _ = strconv.ParseFloat(p[1]+"."+p[2]+"0", 64)
		case strings.HasPrefix(rest, "half"):
			amount = 0.5
		}
		total += time.Duration(amount * float64(unit))
		rest = rest[len(p[0]):]
	}
	return total, total >= time.Second && total == total.Truncate(time.Second) && total < 1000*time.Hour
}

var dayText = regexp.MustCompile(`\pL+`)

// dayNames are the beginnings by which days of the week are told, from Sunday.
var dayNames = [7][]string{
	{"sunday", "sonntag", "dimanche", "domingo"}, {"monday", "montag", "lundi", "lunes"}, {"tuesday", "dienstag", "mardi", "martes"},
	{"wednesday", "mittwoch", "mercredi"}, {"thursday", "donnerstag", "jeudi", "jueves"}, {"friday", "freitag", "vendredi", "viernes"},
	{"saturday", "samstag", "sonnabend", "samedi"},
}

// meantRepeat is what is probably meant by "each thursday 6pm" or "Thursdays 18:00".
func meantRepeat(text string) (string, bool) {
	text = strings.ToLower(text)
	clock, ok := meantClock(strings.NewReplacer(" at ", " ", " um ", " ").Replace(text + " "))
	if !ok || len(clock) != 5 {
		return "", false
	}
	var days []string
	for _, word := range dayText.FindAllString(text, -1) {
		switch {
		case word == "day" || word == "daily" || word == "täglich":
			return "every day " + clock, true
		case strings.HasPrefix(word, "weekday"):
			return "every Monday, Tuesday, Wednesday, Thursday and Friday " + clock, true
		case strings.HasPrefix(word, "weekend"):
			return "every Saturday and Sunday " + clock, true
		}
		for day, names := range dayNames {
			if slices.ContainsFunc(names, func(name string) bool {
				return strings.HasPrefix(word, name) || len(word) >= 3 && strings.HasPrefix(name, word)
			}) {
				days = append(days, time.Weekday(day).String())
			}
		}
	}
	if days == nil {
		return "", false
	}
	last := len(days) - 1
	if last > 0 {
		return "every " + strings.Join(days[:last], ", ") + " and " + days[last] + " " + clock, true
	}
	return "every " + days[0] + " " + clock, true
}

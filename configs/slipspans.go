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

// weekdayOf is the day of the week that a word in small letters names, or begins to.
func weekdayOf(word string) (time.Weekday, bool) {
	for day, names := range dayNames {
		if slices.ContainsFunc(names, func(name string) bool {
			return strings.HasPrefix(word, name) || len([]rune(word)) >= 3 && word != "mit" && strings.HasPrefix(name, word)
		}) {
			return time.Weekday(day), true
		}
	}
	return 0, false
}

// rarer are words of repetitions that cannot be written: not each week, or not for ever.
var rarer = regexp.MustCompile(`(?i)(?:^|[ ,])(first|1st|second|2nd|third|3rd|fourth|4th|last|other|alternate|until|till|except|from|starting|months?|monthly|years?|yearly|fortnight\pL*|bi-?weekly|weeks|ersten?r?|zweiten?r?|dritten?r?|vierten?r?|letzten?r?|bis|außer|ab|monat\pL*|wochen|premier|dernier|primer|último|mois|jusqu\S*|hasta|\d{4})(?:[ ,]|$)`)

// rarely complains of a repetition that is more than files can say.
func rarely(text string) *complaint {
	if !rarer.MatchString(text) {
		return nil
	}
	return complain("%q cannot be repeated", text).advise("only days of the week can, each week without an end, as every Thursday 18:00; for anything else write a file for each day, with doors, opens and closes")
}

package configs

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	grouped  = regexp.MustCompile(`^[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+|(?:\.[0-9]{3})+|(?:'[0-9]{3})+|(?: [0-9]{3})+)$`)
	oneCount = regexp.MustCompile(`^((?:ca\.?|circa|about|approx\.?|approximately|around|etwa|rund|ungefähr|environ|env\.|unos|only|nur|max\.?|[~≈]) ?)?([0-9][0-9,.' ]*?)(?: ?(k|m|hundred|hundert|cent|thousand|tausend|mille|mil|million|millionen|millions|millones|dozen|dutzend|docenas|lakh))?` + nouns + `\.?(?:\.-)?$`)
	decimal  = regexp.MustCompile(`^[1-9][0-9]?[.,][0-9]$`)
	rateText = regexp.MustCompile(`^([0-9][0-9,.' ]*k?)(?: ?(?:people|persons|shoppers|customers|users|visitors|requests?|reqs?|leute|kunden|personen|besucher|clients|clientes))? ?(?:/|per|a|an|each|every|pro|je|par|por) ?(?:1 ?)?(s|sec|secs|second|seconds|sek|sekunde|sekunden|seconde|segundo|m|min|mins|minute|minutes|minuten|minuto|h|hr|hrs|hour|hours|std|stunde|heure|hora)\.?$`)
	perSpan  = regexp.MustCompile(`^([1-9][0-9]{0,8}) ?/ ?([1-9][0-9]{0,3}) ?(s|sec|seconds?|min|mins|minutes?|h|hours?)$`)
)

// nouns are what people count, behind the number. What they may count besides may be pairs
// or boxes, and is not guessed.
const nouns = `(?: ?(?:x|pcs|pc|pieces?|units?|items?|copies|stück|stueck|stk|exemplare|einheiten|teile|pièces?|unités?|exemplaires|unidades|piezas|szt|sztuk|people|persons|shoppers))?`

// factors are the numbers by which words multiply the one before them.
var factors = map[string]int{
	"": 1, "k": 1000, "m": 1_000_000, "hundred": 100, "hundert": 100, "cent": 100, "thousand": 1000, "tausend": 1000, "mille": 1000, "mil": 1000,
	"million": 1_000_000, "millionen": 1_000_000, "millions": 1_000_000, "millones": 1_000_000, "dozen": 12, "dutzend": 12, "docenas": 12, "lakh": 100_000,
}

// ungrouped is a whole number without the marks between its thousands, if those are all
// that it has besides digits.
func ungrouped(text string) (string, bool) {
	if !grouped.MatchString(text) {
		return "", false
	}
	return strings.NewReplacer(",", "", ".", "", "'", "", " ", "").Replace(text), true
}

// meantCount is the whole number that is meant by 2,000 and 100 pcs and one hundred and 2k,
// and by nothing of which a part is not understood.
func meantCount(text string) (string, bool) {
	if n, ok := inWords(text); ok {
		return strconv.Itoa(n), true
	}
	parts := oneCount.FindStringSubmatch(strings.ToLower(strings.TrimSpace(text)))
	if parts == nil {
		return "", false
	}
	factor, tenth := factors[parts[3]], 1
	plain, ok := ungrouped(parts[2])
	switch {
	case ok:
	case factor > 1 && decimal.MatchString(parts[2]) && factor%10 == 0:
		plain, tenth = strings.NewReplacer(".", "", ",", "").Replace(parts[2]), 10
	default:
		plain = parts[2]
	}
	if n, err := strconv.Atoi(plain); err == nil && n > 0 && n <= 1e12 && plain[0] != '0' {
		return strconv.Itoa(n * factor / tenth), true
	}
	return "", false
}

// countComplaint says what is wrong with what is no whole number.
func countComplaint(text string) *complaint {
	wrong := complain("%q is not in plain digits", text)
	if f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64); err == nil && f == float64(int64(f)) && f > 0 && f < 1e15 {
		if plain, ok := ungrouped(text); ok {
			return wrong.advise(fmt.Sprintf("write %s if it is thousands, or %d", plain, int64(f)))
		}
		return wrong.advise(fmt.Sprintf("write %d", int64(f)))
	}
	if n, ok := meantCount(text); ok {
		return wrong.advise("write " + n)
	}
	return complain("%q is not a whole number", text).advise("write a whole number in plain digits, as 100")
}

var spelled = map[string]int{
	"one": 1, "a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "dozen": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// inWords is a number that is written in English words, as they are said one after another.
func inWords(text string) (int, bool) {
	words := strings.Fields(strings.NewReplacer("-", " ", ",", " ").Replace(strings.ToLower(text)))
	words = slices.DeleteFunc(words, func(w string) bool { return w == "and" })
	total, part, above := 0, 0, 1_000_000_000 // above is the last of thousand and million
	for _, word := range words {
		n, known := spelled[word]
		scale := map[string]int{"thousand": 1000, "million": 1_000_000}[word]
		switch {
		case word == "hundred" && part < 100:
			part = max(part, 1) * 100
		case scale > 0 && scale < above && (part > 0 || total == 0):
			total, part, above = total+max(part, 1)*scale, 0, scale
		case word == "dozen" && total == 0 && part < 100:
			part = max(part, 1) * n
		case !known, word == "dozen", part%10 != 0, part%100 == 10, part%100 != 0 && n >= 10:
			return 0, false
		default:
			part += n
		}
	}
	return total + part, total+part > 0 && total+part <= maxStock && len(words) < 12
}

// meantRate is the rate that is probably meant by 2,000/s, 2000 per second or 30/minute.
func meantRate(text string) (string, bool) {
	parts := rateText.FindStringSubmatch(strings.ToLower(text))
	if parts == nil {
		return "", false
	}
	n, ok := meantCount(strings.TrimSpace(parts[1]))
	if !ok || strings.ContainsAny(parts[1], ".") && !grouped.MatchString(strings.TrimSpace(parts[1])) {
		return "", false
	}
	return n + "/" + spanUnit(parts[2]), true
}

// spanUnit is how the files write a word for a second, a minute or an hour.
func spanUnit(word string) string {
	switch {
	case word[0] == 'm':
		return "min"
	case word[0] == 'h', strings.HasPrefix(word, "st"):
		return "h"
	}
	return "s"
}

// meantSteps is the rate that is meant by so many in several seconds, 20/10s; false where
// it is none of whole numbers.
func meantSteps(text string) (string, bool) {
	parts := perSpan.FindStringSubmatch(strings.ToLower(text))
	if parts == nil {
		return "", false
	}
	n, _ := strconv.Atoi(parts[1])
	steps, _ := strconv.Atoi(parts[2])
	unit := spanUnit(parts[3])
	for ; n%steps != 0; n *= 60 {
		longer := map[string]string{"s": "min", "min": "h"}[unit]
		if longer == "" {
			return "", false
		}
		unit = longer
	}
	return strconv.Itoa(n/steps) + "/" + unit, true
}

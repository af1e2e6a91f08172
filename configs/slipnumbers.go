package configs

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	grouped  = regexp.MustCompile(`^[0-9]{1,3}(?:[,.' ][0-9]{3})+$`)
	oneCount = regexp.MustCompile(`^(?:[^0-9,-]*[^0-9.,-])?([0-9]+(?:[,.' ][0-9]{3})*)( ?k)?\.?(?:[^0-9.,]*|\.-)$`)
	rateText = regexp.MustCompile(`^([0-9][0-9,.' ]*k?) ?(?:[\p{L}]+ )?(?:/|per|a|an|each|every|pro|je|par|por)? ?(?:1 ?)?(s|sec|secs|second|seconds|sek|sekunde|m|min|mins|minute|minutes|h|hr|hour|hours|std|stunde|heure|hora)\.?$`)
)

// ungrouped is a whole number without the marks between its thousands, if those are all
// that it has besides digits.
func ungrouped(text string) (string, bool) {
	if !grouped.MatchString(text) {
		return "", false
	}
	plain := strings.NewReplacer(",", "", ".", "", "'", "", " ", "").Replace(text)
	plain = strings.TrimLeft(plain, "0")
	return plain, plain != ""
}

// meantCount is the whole number that is probably meant: 2,000 and 100 pcs and one
// hundred and 2k.
func meantCount(text string) (string, bool) {
	if n, ok := inWords(text); ok {
		return strconv.Itoa(n), true
	}
	parts := oneCount.FindStringSubmatch(text)
	if parts == nil {
		return "", false
	}
	plain, ok := ungrouped(parts[1])
	if !ok {
		plain = parts[1]
	}
	if parts[2] != "" {
		plain += "000"
	}
	if !digits.MatchString(plain) || plain == "0" {
		return "", false
	}
	return plain, true
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

// inWords is a number that is written in English words.
func inWords(text string) (int, bool) {
	words := strings.Fields(strings.NewReplacer("-", " ", ",", " ").Replace(strings.ToLower(text)))
	words = slices.DeleteFunc(words, func(w string) bool { return w == "and" })
	total, part := 0, 0
	for _, word := range words {
		n, known := spelled[word]
		switch {
		case word == "hundred":
			part = max(part, 1) * 100
		case word == "thousand", word == "million":
			total += max(part, 1) * map[string]int{"thousand": 1000, "million": 1_000_000}[word]
			part = 0
		case !known || part%10 != 0 && n < 10:
			return 0, false
		case word == "dozen" && part > 0:
			part *= n
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
	unit := "s"
	switch parts[2][0] {
	case 'm':
		unit = "min"
	case 'h':
		unit = "h"
	}
	if strings.HasPrefix(parts[2], "std") || strings.HasPrefix(parts[2], "stu") {
		unit = "h"
	}
	return n + "/" + unit, true
}

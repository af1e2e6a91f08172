package configs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Amounts are whole numbers in plain digits. Whatever YAML or Go would read
// besides (1e3, 1_000, 0x10, 010, +1) is refused with the digits that it
// probably means, for two readers may not agree on it.

var (
	digits = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)
	spans  = regexp.MustCompile(`^(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?$`)
	// hourMinutes may be an hour and thirty minutes or 1.3 hours.
	hourMinutes = regexp.MustCompile(`(?i)[0-9][.,](?:[0-4][1-46-9]|[1-4]0) ?h`)

	sizes = regexp.MustCompile(`^([1-9][0-9]*)(KiB|MiB|GiB)$`)
)

// count reads a whole number within bounds.
func count(low, high int) func(string) (int, *complaint) {
	return func(text string) (int, *complaint) {
		n, c := plainNumber(text)
		if c != nil {
			return 0, c
		}
		if n < low || n > high {
			return 0, complain("%s is out of bounds", text).advise(fmt.Sprintf("from %d to %d", low, high))
		}
		return n, nil
	}
}

// plainNumber reads plain digits.
func plainNumber(text string) (int, *complaint) {
	if !digits.MatchString(text) {
		return 0, countComplaint(text)
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, complain("%q is out of bounds", text).advise("write a smaller number")
	}
	return n, nil
}

// sizeUnits are in bytes.
var sizeUnits = map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

// size reads a number of bytes as 64KiB, 256MiB or 4GiB within bounds.
func size(low, high int64) func(string) (int64, *complaint) {
	return func(text string) (int64, *complaint) {
		parts := sizes.FindStringSubmatch(text)
		if parts == nil {
			return 0, complain("%q is not a size", text).advise("write a whole number with its unit, as 64KiB, 256MiB or 4GiB")
		}
		unit := sizeUnits[parts[2]]
		n, err := strconv.ParseInt(parts[1], 10, 64)
		if err != nil || n > high/unit || n*unit < low {
			return 0, complain("%s is out of bounds", text).advise("from " + shortSize(low) + " to " + shortSize(high))
		}
		return n * unit, nil
	}
}

// shortSize writes a size as the files do, in its largest whole unit.
func shortSize(n int64) string {
	for _, unit := range []string{"GiB", "MiB"} {
		if n%sizeUnits[unit] == 0 {
			return strconv.FormatInt(n/sizeUnits[unit], 10) + unit
		}
	}
	return strconv.FormatInt(n>>10, 10) + "KiB"
}

// span reads a duration as 10m, 90s or 1h30m within bounds.
func span(low, high time.Duration) func(string) (time.Duration, *complaint) {
	return func(text string) (time.Duration, *complaint) {
		d, ok := parseSpan(text)
		if !ok {
			return 0, spanComplaint(text, low, high)
		}
		if d < low || d > high {
			right := fmt.Sprintf("from %s to %s", Short(low), Short(high))
			return 0, complain("%s is out of bounds", text).advise(right)
		}
		return d, nil
	}
}

func parseSpan(text string) (time.Duration, bool) {
	parts := spans.FindStringSubmatch(text)
	if parts == nil || text == "" {
		return 0, false
	}
	var total time.Duration
	for i, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
		if parts[i+1] == "" {
			continue
		}
		n, err := strconv.Atoi(parts[i+1])
		if err != nil || n > 1e6 {
			return 0, false
		}
		total += time.Duration(n) * unit
	}
	return total, true
}

func spanComplaint(text string, low, high time.Duration) *complaint {
	if digits.MatchString(text) && text != "0" {
		return complain("%q has no unit", text).advise(fmt.Sprintf("write %[1]ss, %[1]sm or %[1]sh", text))
	}
	if hourMinutes.MatchString(text) {
		return complain("%q may be minutes or parts of an hour", text).advise("write whole hours, minutes and seconds, as 1h30m, 10m or 90s")
	}
	if d, ok := meantSpan(text); ok && (d < low || d > high) {
		return complain("%q is out of bounds", text).advise(fmt.Sprintf("from %s to %s", Short(low), Short(high)))
	} else if ok {
		return complain("%q is not a duration as it is written here", text).advise("write " + Short(d))
	}
	if instantForm.MatchString(text) {
		return complain("%q is a date", text).advise("write how long before or after the opening, as 30m: repeat says when that is")
	}
	if strings.HasPrefix(text, "-") {
		return complain("%q is negative", text).advise("write a positive one, as 10m")
	}
	return complain("%q is not a duration", text).advise("write whole hours, minutes and seconds, as 1h30m, 10m or 90s")
}

// Short writes a duration as the files do: 1h30m, 10m, 90s as 1m30s.
func Short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = text[:len(text)-2]
	}
	if strings.HasSuffix(text, "h0m") {
		text = text[:len(text)-2]
	}
	return text
}

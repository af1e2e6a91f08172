package configs

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var decimalRate = regexp.MustCompile(`^([0-9]*\.[0-9]+)\s*(?:/\s*(s|min|h))?$`)

// ParseRate reads a rate at which people are let through, as admit in the files
// writes it: a whole number a second, minute or hour (2000/s, 30/min, 600/h), from
// one a minute to 100000 a second.
func ParseRate(text string) (Rate, error) {
	r, c := admit(text)
	if c != nil {
		return Rate{}, fmt.Errorf("%s, %s", c.wrong, c.right)
	}
	return r, nil
}

// admit reads the rate of a line. Below one a minute nobody could be told when
// their turn comes.
func admit(text string) (Rate, *complaint) { return rate(minRate, maxRate)(text) }

// rate reads a Rate within bounds.
func rate(low, high Rate) func(string) (Rate, *complaint) {
	return func(text string) (Rate, *complaint) {
		number, unit, _ := strings.Cut(text, "/")
		per, known := map[string]time.Duration{"s": time.Second, "min": time.Minute, "h": time.Hour}[unit]
		if !known || !digits.MatchString(number) {
			return Rate{}, rateComplaint(text, number, unit, low)
		}
		n, c := plainNumber(number)
		if c != nil {
			return Rate{}, c
		}
		r := Rate{n, per}
		if n == 0 || r.PerSecond() < low.PerSecond() || r.PerSecond() > high.PerSecond() {
			return Rate{}, complain("%s is out of bounds", text).advise(fmt.Sprintf("from %s to %s", low, high))
		}
		return r, nil
	}
}

// rateComplaint says what is wrong with what is no rate. It advises none that is
// slower than low.
func rateComplaint(text, number, unit string, low Rate) *complaint {
	if meant, ok := meantRate(text); ok && meant != text && !decimalRate.MatchString(text) {
		if r, c := rate(low, maxRate)(meant); c == nil {
			return complain("%q is not a rate", text).advise("write " + r.String())
		}
	}
	if parts := decimalRate.FindStringSubmatch(pointed(text)); parts != nil {
		if plain, ok := ungrouped(parts[1]); ok {
			return complain("%q is not a whole number in a span", text).advise("write " + plain + "/" + cmp.Or(parts[2], "s") + " if it is thousands; otherwise " + wholeRate(parts[1], parts[2], low))
		}
		return complain("%q is not a whole number in a span", text).advise(wholeRate(parts[1], parts[2], low))
	}
	if meant, ok := meantSteps(text); ok {
		if r, c := rate(low, maxRate)(meant); c == nil {
			return complain("%q is not a rate as it is written here", text).advise("write " + r.String())
		}
	}
	if digits.MatchString(number) && number != "0" {
		if unit == "" {
			right := fmt.Sprintf("write %[1]s/s, %[1]s/min or %[1]s/h", number)
			if n, err := strconv.Atoi(number); err == nil && (Rate{n, time.Hour}).PerSecond() < low.PerSecond() {
				right = fmt.Sprintf("write %[1]s/s or %[1]s/min", number)
			}
			return complain("%q has no unit", text).advise(right)
		}
		return complain("%q has an unknown unit", text).advise("write how many in a second, a minute or an hour, as 2000/s, 30/min or 600/h")
	}
	return complain("%q is not a rate", text).advise("write a whole number in a span, as 2000/s, 30/min or 600/h")
}

// wholeRate is the advice for a decimal a span: the same rate in a longer one, if
// it is not below low.
func wholeRate(decimal, unit string, low Rate) string {
	f, _ := strconv.ParseFloat(decimal, 64)
	if unit == "s" || unit == "" {
		if perMinute := f * 60; perMinute >= 1 && perMinute == float64(int(perMinute)) {
			return fmt.Sprintf("write %d/min", int(perMinute))
		}
	}
	if unit == "min" {
		if perHour := f * 60; perHour/3600 >= low.PerSecond() && perHour == float64(int(perHour)) {
			return fmt.Sprintf("write %d/h", int(perHour))
		}
	}
	if f/60 < low.PerSecond() && unit == "min" {
		return "write " + low.String() + " or more"
	}
	return "write a whole number in a longer span, as 30/min"
}

// Burst is how many may come at once where nobody says it: a tenth of a second's
// worth, at least three. People do not come as evenly as passes are due, and a
// bucket of one or two runs over before somebody takes the pass.
func (r Rate) Burst() int { return max(leastBurst, int(r.PerSecond()/10)) }

// RoomBurst is Burst for a room, to which people come when they like: a second's
// worth, and at least three for the line that it may have.
func (r Rate) RoomBurst() int { return max(leastBurst, int(r.PerSecond())) }

const leastBurst = 3

// String is the rate as the files write it.
func (r Rate) String() string {
	unit := map[time.Duration]string{time.Second: "s", time.Minute: "min", time.Hour: "h"}[r.Per]
	if unit == "" {
		unit = Short(r.Per)
	}
	return fmt.Sprintf("%d/%s", r.Count, unit)
}

// spoken is the rate in plain words, of whom it lets in: "about 30 shoppers a
// minute". Below one a second it is told in minutes.
func (r Rate) spoken(who string) string {
	unit, n := "second", r.PerSecond()
	if n < 1 {
		unit, n = "minute", n*60
	}
	return fmt.Sprintf("about %s a %s", plural(int(n+0.5), who), unit)
}

package cache

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// errorLife is the most that an answer of the 5xx kind lives, whatever it says of
// itself: a fault that is over shall not be shown for an hour.
const errorLife = 10 * time.Second

// lifetime is how long an answer may be used and what it allows once that is over.
type lifetime struct {
	fresh           time.Duration // after which it is stale
	whileRevalidate time.Duration // beyond fresh: used while a new one is fetched
	ifError         time.Duration // beyond fresh: used while none can be had
	explicit        bool          // the answer said so itself
	shared          bool          // it was said for caches like this one
}

// newLifetime is that of an answer that came at an instant (RFC 9111, 4.2.1).
// Surrogate-Control, where there is one, is meant for us and counts before what
// is meant for all. There is no heuristic: what says nothing lives 0.
func newLifetime(status int, h http.Header, d directives, came time.Time) lifetime {
	l := lifetime{explicit: true}
	surrogate := surrogateAge(h)
	switch {
	case surrogate != absent:
		l.fresh, l.shared = surrogate, true
	case d.sharedAge != absent:
		l.fresh, l.shared = d.sharedAge, true
	case d.maxAge != absent:
		l.fresh = d.maxAge
	case len(h["Expires"]) > 0:
		l.fresh = expiresAge(h, came)
	default:
		l.explicit = d.noCache
	}
	if status >= http.StatusInternalServerError {
		l.fresh = min(l.fresh, errorLife)
	}
	if d.noCache {
		l.fresh = 0
	}
	if !d.noCache && !d.mustRevalidate && !d.proxyRevalidate {
		l.whileRevalidate, l.ifError = max(0, d.whileRevalidate), max(0, d.ifError)
	}
	return l
}

// expiresAge is the lifetime by Expires, of which the earliest counts. Expires
// that is no date has passed; a Date that is none is the instant at which the
// answer came.
func expiresAge(h http.Header, came time.Time) time.Duration {
	date := dateOf(h, came)
	age := time.Duration(mostSeconds) * time.Second
	for _, line := range h["Expires"] {
		expires, err := http.ParseTime(line)
		if err != nil {
			return 0
		}
		age = min(age, expires.Sub(date))
	}
	return max(0, age)
}

func dateOf(h http.Header, came time.Time) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return came
}

// surrogateAge is what Surrogate-Control says (W3C edge architecture, 2.3), absent
// if nothing. What is said to one device by name is not said to us. That it forbids
// to keep an answer at all is surrogateForbids.
func surrogateAge(h http.Header) time.Duration {
	age := absent
	for _, line := range h["Surrogate-Control"] {
		elements, _ := splitQuoted(line, ',')
		for _, element := range elements {
			name, value, _ := strings.Cut(element, "=")
			if strings.EqualFold(strings.TrimSpace(name), "max-age") && !strings.Contains(value, ";") {
				t := parseSeconds(value)
				if name != strings.TrimSpace(name) {
					t = 0
				}
				if age == absent || t < age {
					age = t
				}
			}
		}
	}
	return age
}

// surrogateForbids reports whether Surrogate-Control says no-store, to whomever.
func surrogateForbids(h http.Header) bool {
	for _, line := range h["Surrogate-Control"] {
		elements, whole := splitQuoted(line, ',')
		for _, element := range elements {
			name, _, _ := strings.Cut(element, ";")
			if strings.EqualFold(strings.TrimSpace(name), "no-store") {
				return true
			}
		}
		if !whole {
			return true
		}
	}
	return false
}

// initialAge is how old an answer was when it came (RFC 9111, 4.2.3). An Age that
// is not one whole number leaves nothing to rely on, and counts as older than
// anything lives. A Date of just now, which has whole seconds, shows no age.
func initialAge(h http.Header, x exchange) time.Duration {
	apparent := x.came.Sub(dateOf(h, x.came))
	if apparent < 2*time.Second {
		apparent = 0
	}
	said, ok := ageOf(h)
	if !ok {
		return mostSeconds * time.Second
	}
	return max(apparent, said+max(0, x.came.Sub(x.asked)))
}

// ageOf reads the Age field; false when it is there and not understood.
func ageOf(h http.Header) (time.Duration, bool) {
	lines := h["Age"]
	switch {
	case len(lines) == 0:
		return 0, true
	case len(lines) > 1, lines[0] == "", strings.Trim(lines[0], "0123456789") != "":
		return 0, false
	}
	n, err := strconv.ParseInt(lines[0], 10, 64)
	if err != nil || n > mostSeconds {
		n = mostSeconds
	}
	return time.Duration(n) * time.Second, true
}

package static

import "time"

// length says how long d is in at most two units, rounded down, so that it
// never promises more than there is: "1 hour 5 minutes", "40 seconds".
func (c catalog) length(d time.Duration) string {
	seconds := uint64(max(d, 0) / time.Second)
	switch {
	case seconds < 60:
		return c.count("live.second", seconds)
	case seconds < 60*60:
		return c.count("live.minute", seconds/60)
	case seconds < 24*60*60:
		return c.pair("live.hour", seconds/3600, "live.minute", seconds%3600/60)
	default:
		return c.pair("live.day", seconds/86400, "live.hour", seconds%86400/3600)
	}
}

func (c catalog) pair(large string, n uint64, small string, rest uint64) string {
	if rest == 0 {
		return c.count(large, n)
	}
	return c.Text("live.pair", "large", c.count(large, n), "small", c.count(small, rest))
}

// span says a wait between low and high in words as coarse as an estimate is:
// "less than a minute", "about 3 minutes", "2 to 4 minutes", "up to 2 hours".
// Without a high end, or with one beyond a month, it says nothing. The script has the same rule.
func (c catalog) span(low, high time.Duration) string {
	unit, name := time.Minute, "live.minute"
	switch {
	case high <= 0, high > 30*24*time.Hour:
		return ""
	case high <= time.Minute:
		return c.Text("live.soon")
	case high > 48*time.Hour:
		unit, name = 24*time.Hour, "live.day"
	case high > 90*time.Minute:
		unit, name = time.Hour, "live.hour"
	}
	from, to := uint64(max(low, 0)/unit), uint64((high+unit-1)/unit)
	switch {
	case from == 0:
		return c.Text("live.upto", "to", c.count(name, to))
	case from == to:
		return c.Text("live.about", "to", c.count(name, to))
	default:
		return c.Text("live.between", "from", c.number(from), "to", c.count(name, to))
	}
}

package configs

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// areas are the first halves of the names of time zones, in which a city is looked for.
var areas = []string{"Europe", "America", "Asia", "Australia", "Africa", "Pacific", "Atlantic", "Indian"}

// ofCountries are the zones of those who write a country, a city that has no zone of its
// own, or an abbreviation in place of a city's name. Abbreviations mean a fixed distance
// to UTC, and several places: none is guessed for them but the usual city's.
var ofCountries = map[string]string{
	"germany": "Europe/Berlin", "deutschland": "Europe/Berlin", "munich": "Europe/Berlin", "münchen": "Europe/Berlin", "hamburg": "Europe/Berlin", "cologne": "Europe/Berlin", "köln": "Europe/Berlin", "frankfurt": "Europe/Berlin",
	"france": "Europe/Paris", "spain": "Europe/Madrid", "barcelona": "Europe/Madrid", "italy": "Europe/Rome", "milan": "Europe/Rome", "austria": "Europe/Vienna", "wien": "Europe/Vienna", "switzerland": "Europe/Zurich", "zürich": "Europe/Zurich", "geneva": "Europe/Zurich",
	"uk": "Europe/London", "britain": "Europe/London", "england": "Europe/London", "manchester": "Europe/London", "poland": "Europe/Warsaw", "netherlands": "Europe/Amsterdam", "turkey": "Europe/Istanbul",
	"japan": "Asia/Tokyo", "korea": "Asia/Seoul", "china": "Asia/Shanghai", "beijing": "Asia/Shanghai", "india": "Asia/Kolkata", "mumbai": "Asia/Kolkata", "vietnam": "Asia/Ho_Chi_Minh", "brazil": "America/Sao_Paulo",
	"san francisco": "America/Los_Angeles", "seattle": "America/Los_Angeles", "washington": "America/New_York", "boston": "America/New_York", "miami": "America/New_York",
	"cet": "Europe/Berlin", "cest": "Europe/Berlin", "mez": "Europe/Berlin", "mesz": "Europe/Berlin", "gmt": "Europe/London", "eet": "Europe/Athens", "eest": "Europe/Athens", "wet": "Europe/Lisbon",
	"est": "America/New_York", "edt": "America/New_York", "et": "America/New_York", "cdt": "America/Chicago", "mst": "America/Denver", "mdt": "America/Denver", "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles", "pt": "America/Los_Angeles",
	"jst": "Asia/Tokyo", "kst": "Asia/Seoul",
}

// ofSeveral are the zones of abbreviations that mean another one in each of several places.
var ofSeveral = map[string][]string{
	"ast": {"America/Halifax", "Asia/Riyadh"},
	"bst": {"Europe/London", "Asia/Dhaka"},
	"cst": {"America/Chicago", "Asia/Shanghai", "America/Havana"},
	"ist": {"Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"},
}

// maxZone is beyond what anybody types for a zone: each word is looked up.
const maxZone = 100

var (
	zoneWords   = regexp.MustCompile(`[\pL_]+(?:[ -]\pL+)*`)
	zoneLetters = regexp.MustCompile(`^[A-Za-z]{2,5}$`)
	fixedOffset = regexp.MustCompile(`^(?i)(?:utc|gmt)? ?[+-] ?\d{1,2}(?::?\d{2})?$`)
)

// zoneComplaint says what is wrong with what is no time zone, and which is meant.
func zoneComplaint(text string) *complaint {
	wrong := complain("%q is not a time zone", text)
	if len(text) > maxZone {
		return wrong.advise("write the largest city that has your time, as Europe/Berlin, or UTC")
	}
	if fixedOffset.MatchString(text) {
		return complain("%q does not know summer time", text).advise("write the largest city that has your time, as Europe/Berlin")
	}
	lower := strings.ToLower(text)
	if cities := ofSeveral[lower]; cities != nil {
		return complain("%q is the time of several places", text).advise("write the city: " + either(cities))
	}
	switch lower {
	case "utc", "z":
		return wrong.advise("write UTC")
	case "gmt":
		return wrong.advise("write Europe/London, or UTC where there is no summer time")
	}
	if city := ofCountries[lower]; city != "" {
		if zoneLetters.MatchString(text) && len(text) <= 4 && text == strings.ToUpper(text) && lower != "uk" {
			return complain("%q is not the name of a time zone, and does not know summer time", text).
				advise("write the largest city that has your time, as " + city)
		}
		return wrong.advise("write " + city)
	}
	words := zoneWords.FindAllString(text, -1)
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(min(len(b), 5), min(len(a), 5)) }) // abbreviations last
	for _, word := range words {
		if zone := zoneOf(word); zone != "" {
			return wrong.advise("write " + zone)
		}
	}
	for _, zone := range slices.Sorted(maps.Values(ofCountries)) {
		if distance(lower, strings.ToLower(zone)) <= 2 {
			return wrong.advise("write " + zone)
		}
	}
	return wrong.advise("write the largest city that has your time, as Europe/Berlin, or UTC")
}

// zoneOf is the zone of a city or country; empty where none is known.
func zoneOf(place string) string {
	if zone := ofCountries[strings.ToLower(place)]; zone != "" {
		return zone
	}
	var parts []string
	for _, part := range strings.FieldsFunc(place, func(r rune) bool { return r == ' ' || r == '_' || r == '-' }) {
		parts = append(parts, strings.ToUpper(part[:1])+strings.ToLower(part[1:]))
	}
	for _, area := range areas {
		name := area + "/" + strings.Join(parts, "_")
		if _, err := time.LoadLocation(name); err == nil && zoneForm.MatchString(name) && len(parts) > 0 {
			return name
		}
	}
	return ""
}

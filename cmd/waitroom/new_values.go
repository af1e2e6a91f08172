package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/waitroom/waitroom/configs"
)

var (
	notInName   = regexp.MustCompile(`[^a-z0-9]+`)
	grouped     = regexp.MustCompile(`^\d{1,3}([,' ]\d{3})+$`)
	separator   = regexp.MustCompile(`[,' ]`)
	hostFirst   = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?/`)
	spokenSpeed = regexp.MustCompile(`^([\d,.' ]+?) ?(?:shoppers|people|passes)? ?(?:a|per|each|every|/) ?(s|sec|second|min|minute|h|hour)$`)
)

// spelled writes letters as their languages do in addresses where it is not by leaving
// their marks out.
var spelled = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "ø", "o", "ł", "l", "æ", "ae")

// idOf proposes the name of a sale from its title: "Goldenes Spielzeug, ½ Preis" becomes
// goldenes-spielzeug-1-2-preis.
func idOf(title string) string {
	var letters strings.Builder
	for _, r := range norm.NFKD.String(spelled.Replace(norm.NFC.String(strings.ToLower(title)))) {
		if !unicode.Is(unicode.Mn, r) {
			letters.WriteRune(r)
		}
	}
	id := strings.Trim(notInName.ReplaceAllString(letters.String(), "-"), "-")
	if len(id) <= 40 {
		return id
	}
	if id = id[:40]; strings.Contains(id, "-") {
		id = id[:strings.LastIndexByte(id, '-')]
	}
	return id
}

// pathOf cuts an address that was copied from a browser to its path, and reports what of
// it was left out.
func pathOf(text string) (path, query string) {
	if hostFirst.MatchString(text) {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return text, ""
	}
	if path = u.Path; path == "" {
		path = "/"
	}
	return path, u.RawQuery
}

// buyOf reads the request that buys: a path alone is posted to, as forms are.
func buyOf(text string) string {
	method, target, two := strings.Cut(text, " ")
	if !two {
		method, target = "POST", text
	}
	path, _ := pathOf(strings.TrimSpace(target))
	if !strings.HasPrefix(path, "/") {
		return text
	}
	return strings.ToUpper(method) + " " + path
}

// plainDigits takes the marks out of a number that is written in groups of three. A point
// stays: 1.000 is a thousand to some and one to others, and the rules of files ask which.
func plainDigits(text string) string {
	if grouped.MatchString(text) {
		return separator.ReplaceAllString(text, "")
	}
	return text
}

// speedOf reads how many come through: "20 per second", "1,200 a minute".
func speedOf(text string) string {
	m := spokenSpeed.FindStringSubmatch(strings.ToLower(text))
	if m == nil {
		return text
	}
	unit := m[2][:1]
	if unit == "m" {
		unit = "min"
	}
	return plainDigits(strings.TrimSpace(m[1])) + "/" + unit
}

// paceFor proposes how fast the line moves: three people for each unit within a minute, as
// a rehearsal proposes it where a line is too fast, and what most shops can bear.
func paceFor(stock int) string {
	switch perMinute := stock * 3; {
	case perMinute < 60:
		return fmt.Sprintf("%d/min", max(perMinute, 1))
	case perMinute > 200*60:
		return "200/s"
	default:
		return fmt.Sprintf("%d/s", perMinute/60)
	}
}

// zoneHere is the machine's time zone by its full name; empty if it has none.
func zoneHere() string {
	for _, name := range []string{os.Getenv("TZ"), time.Local.String(), zoneOfLink()} {
		if strings.Contains(name, "/") && !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "Etc/") {
			if _, err := time.LoadLocation(name); err == nil {
				return name
			}
		}
	}
	return ""
}

// zoneOfLink is what /etc/localtime leads to, behind the folder of zones.
func zoneOfLink() string {
	to, err := filepath.EvalSymlinks("/etc/localtime")
	if err != nil {
		return ""
	}
	_, name, _ := strings.Cut(to, "/zoneinfo/")
	return name
}

// usualZone is the time zone of most sales that there are, else the machine's.
func usualZone(sales []configs.Sale) string {
	most, count := zoneHere(), map[string]int{}
	for i := range sales {
		name := sales[i].Zone.String()
		if count[name]++; count[name] == 1 && i == 0 || count[name] > count[most] {
			most = name
		}
	}
	return most
}

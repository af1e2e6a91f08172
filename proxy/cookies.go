package proxy

import (
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	ticketPrefix = "__Host-wr-"
	passPrefix   = "__Host-wrp-"
	formPrefix   = "__Host-wrf-"
	ticketExtra  = time.Hour // a ticket outlives its sale by so long
)

// ownCookie makes one of our cookies. Max-Age decides, since a phone's clock
// may be wrong; it is rounded up, since zero or less deletes.
func ownCookie(name, value string, life time.Duration) *http.Cookie {
	age := int(math.Ceil(life.Seconds()))
	if age <= 0 {
		age = -1
	}
	return &http.Cookie{
		Name: name, Value: value, MaxAge: age, Path: "/",
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
}

// stripOwnCookies removes our cookies and leaves the others byte for byte and
// in order; a Cookie field of which nothing is left goes too.
func stripOwnCookies(h http.Header) {
	lines := h["Cookie"]
	if !slices.ContainsFunc(lines, mayHaveOwn) {
		return
	}
	kept := lines[:0:0]
	for _, line := range lines {
		var pairs []string
		for pair := range strings.SplitSeq(line, ";") {
			name := strings.TrimSpace(pair)
			if strings.HasPrefix(name, ticketPrefix) || strings.HasPrefix(name, passPrefix) || strings.HasPrefix(name, formPrefix) {
				continue
			}
			pairs = append(pairs, pair)
		}
		if rest := strings.TrimPrefix(strings.Join(pairs, ";"), " "); strings.TrimSpace(rest) != "" {
			kept = append(kept, rest)
		}
	}
	if len(kept) == 0 {
		h.Del("Cookie")
		return
	}
	h["Cookie"] = kept
}

// mayHaveOwn reports whether one of our cookies may stand in a line, or nothing at all.
func mayHaveOwn(line string) bool {
	return strings.Contains(line, "__Host-wr") || strings.HasPrefix(line, " ") || strings.TrimSpace(line) == ""
}

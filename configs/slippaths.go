package configs

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// meantPath is the path that is probably meant by a whole address, one without the
// slash at its beginning, one with a query or with escapes; empty where none is told.
func meantPath(text string) string {
	meant := text
	if u, err := url.Parse(text); err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
		meant = u.EscapedPath()
	} else if host, rest, ok := strings.Cut(text, "/"); ok && strings.Contains(host, ".") && isDomain(host) {
		meant = "/" + rest
	} else if !ok && isDomain(host) && strings.Contains(host, ".") && !pageFile.MatchString(host) {
		return "" // a shop's name, and no page of it
	}
	meant, _, _ = strings.Cut(meant, "?")
	meant, _, _ = strings.Cut(meant, "#")
	if plain, err := url.PathUnescape(meant); err == nil {
		meant = plain
	}
	meant = strings.TrimRight(path.Clean("/"+strings.TrimSpace(meant)), ".") // the point of a sentence
	if !pathForm.MatchString(meant) || reserved(meant) || meant == text || meant == "/" || strings.Contains(meant+"/", "./") {
		return ""
	}
	return meant
}

// pageFile is a file's name, which looks like a domain.
var pageFile = regexp.MustCompile(`^[^.]+\.(?:html?|php|aspx?|jsp)$`)

// tells reports whether the query of an address says more than where a visitor comes from,
// and what it says: a path without it may be that of other products, too.
func tells(address string) string {
	_, query, _ := strings.Cut(address, "?")
	query, _, _ = strings.Cut(query, "#")
	for _, part := range strings.Split(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		if name != "" && !strings.HasPrefix(name, "utm_") && !strings.HasSuffix(name, "clid") && name != "ref" {
			return ", if nothing else has that path: what stands behind ? is not looked at"
		}
	}
	return ""
}

func isDomain(text string) bool {
	_, c := domain(text)
	return c == nil
}

// addressed reports whether a text is a whole address rather than a path.
func addressed(text string) bool { return strings.Contains(text, "://") }

// pathComplaint puts what is meant before other advice.
func pathComplaint(text, right, wrong string, args ...any) *complaint {
	c := complain(wrong, args...)
	if addressed(text) {
		c = complain("%q is a whole address", text)
	}
	if meant := meantPath(text); meant != "" {
		return c.advise("write " + meant + tells(text))
	}
	return c.advise(right)
}

// meantBuy is the request that is probably meant by one without a method, or with a
// method in small letters.
func meantBuy(text string) string {
	method, target, ok := strings.Cut(text, " ")
	if strings.HasPrefix(method, "/") && ok { // the other way round
		method, target = strings.TrimSpace(target), method
	}
	switch method = strings.ToUpper(strings.TrimRight(method, ":")); {
	case !ok && (strings.HasPrefix(text, "/") || addressed(text)):
		method, target = "POST", text
	case method == "GET":
		method = "POST"
	case method != "POST" && method != "PUT" && method != "PATCH":
		return ""
	}
	target = strings.TrimSpace(target)
	if _, c := sitePath(target); c != nil {
		target = meantPath(target)
	}
	if target == "" {
		return ""
	}
	return method + " " + target
}

// otherHoles are what other programs write where the reservation's number comes, and what
// stands there as a sample of one.
var otherHoles = regexp.MustCompile(`(?i)\$\{?reservation(?:_?id)?\}?|:reservation(?:_?id)?\b|%reservation(?:_?id)?%|\b__reservation__\b`)

// sampleNumber is a reservation's number that was copied with its address.
var sampleNumber = regexp.MustCompile(`([?&]reservation=)[^&#]*`)

// meantCheckout is a checkout's address with the placeholder that is probably meant.
func meantCheckout(text string) string {
	for _, other := range []string{"{{reservation}}", "{Reservation}", "{RESERVATION}", "{reservation_id}", "{reservationId}", "{id}", "{order}", "[reservation]", "<reservation>", "%7Breservation%7D", "${reservation}", "{ reservation }"} {
		if strings.Contains(text, other) {
			return strings.Replace(text, other, reservation, 1)
		}
	}
	if meant := otherHoles.ReplaceAllLiteralString(text, reservation); strings.Count(meant, reservation) == 1 {
		return meant
	}
	if strings.ContainsAny(text, "{}[]<> ") || !strings.HasPrefix(text, "/") && !addressed(text) {
		return ""
	}
	if sampleNumber.MatchString(text) {
		return sampleNumber.ReplaceAllString(text, "${1}"+reservation)
	}
	before, fragment, cut := strings.Cut(text, "#")
	if cut && clientRoute(fragment) {
		return ""
	}
	before = strings.TrimRight(before, "&?")
	mark := "?"
	if strings.Contains(before, "?") {
		mark = "&"
	}
	if cut {
		fragment = "#" + fragment
	}
	return before + mark + "reservation=" + reservation + fragment
}

// clientRoute reports whether a fragment is an address of its own, which a shop's script
// in the browser reads.
func clientRoute(fragment string) bool {
	return strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, "!")
}

// latin writes letters with marks without them, as their languages do in addresses.
var latin = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e", "ê", "e", "ë", "e", "á", "a", "à", "a", "â", "a", "ã", "a", "å", "a", "æ", "ae",
	"ñ", "n", "ń", "n", "ç", "c", "ć", "c", "č", "c", "í", "i", "î", "i", "ï", "i", "ı", "i", "ó", "o", "ò", "o", "ô", "o", "õ", "o", "ø", "o", "ú", "u", "ù", "u", "û", "u", "ů", "u",
	"ł", "l", "ś", "s", "š", "s", "ş", "s", "ź", "z", "ż", "z", "ž", "z", "ą", "a", "ę", "e", "ğ", "g", "ř", "r", "ý", "y", "i̇", "i")

// meantID is a sale's name that is made of another text; empty where a letter has no other
// writing: half a name would be none.
func meantID(text string) string {
	text = latin.Replace(strings.ToLower(text))
	if strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) }) {
		return ""
	}
	name := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }), "-")
	if !saleIDForm.MatchString(name) {
		return ""
	}
	return name
}

package configs

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"
)

const reservation = "{reservation}"

// outside are characters that no clean path holds: of queries, patterns and escapes (the
// characters themselves are written).
const outside = `?#%*{}\;"<>`

// The forms as editors know them. What is read is judged more closely.
var (
	pathText     = `/[^\s` + regexp.QuoteMeta(outside) + `]*`
	pathForm     = regexp.MustCompile(`^` + pathText + `$`)
	buyForm      = regexp.MustCompile(`^(POST|PUT|PATCH) +` + pathText + `$`)
	checkoutForm = regexp.MustCompile(`^(/|https?://)\S*\{reservation\}\S*$`)
)

// buyRequest reads a method and a path: "POST /toys/golden/buy".
func buyRequest(text string) (Buy, *complaint) {
	method, target, ok := strings.Cut(text, " ")
	if !ok {
		return Buy{}, buyComplaint(text, "%q is not a request", text)
	}
	switch method {
	case "POST", "PUT", "PATCH":
	default:
		return Buy{}, buyComplaint(text, "%q is not a method that buys", method)
	}
	target, c := sitePath(strings.TrimLeft(target, " "))
	if meant := meantBuy(text); c != nil && meant != "" {
		c = c.advise("write " + meant + tells(text))
	}
	return Buy{Method: method, Path: target}, c
}

func buyComplaint(text, wrong string, args ...any) *complaint {
	if meant := meantBuy(text); meant != "" {
		return complain(wrong, args...).advise("write " + meant + tells(text))
	}
	return complain(wrong, args...).advise("write method and path, as POST /toys/golden/buy: POST, PUT or PATCH")
}

// sitePath reads an absolute path of the shop, in its clean form: what requests
// are compared with after every folding that an origin might do.
func sitePath(text string) (string, *complaint) {
	const right = "write a path as /toys/golden"
	if !strings.HasPrefix(text, "/") {
		return "", pathComplaint(text, right, "%q does not begin with /", text)
	}
	if i := strings.IndexFunc(text, notInPath); i >= 0 {
		return "", pathComplaint(text, right, "%q holds %q", text, []rune(text[i:])[0])
	}
	clean := path.Clean(text)
	if strings.HasSuffix(text, "/") && clean != "/" {
		clean += "/"
	}
	if clean != text {
		return "", complain("%q is not in its clean form", text).advise("write " + clean)
	}
	if strings.Contains(text+"/", "./") {
		return "", complain("%q has a dot at the end of a segment", text).advise("leave it out: not every server tells the two apart")
	}
	if len(text) > 1024 {
		return "", complain("%d bytes long", len(text)).advise("at most 1024")
	}
	if reserved(text) {
		return "", complain("%q is under /.waitroom/, which is reserved", text).advise("choose another path")
	}
	return text, nil
}

// notInPath reports what a clean path does not hold.
func notInPath(r rune) bool {
	return unicode.IsSpace(r) || !unicode.IsGraphic(r) || strings.ContainsRune(outside, r)
}

func reserved(p string) bool {
	p = strings.ToLower(p)
	return p == "/.waitroom" || strings.HasPrefix(p, "/.waitroom/")
}

// fieldless reports whether {reservation} is all that an address has in braces.
func fieldless(address string) bool {
	return address != "" && !strings.ContainsAny(strings.ReplaceAll(address, reservation, ""), "{}")
}

// checkout reads the address that a winner is sent to.
func checkout(text string) (string, *complaint) {
	const right = "write one as /checkout?reservation={reservation}"
	if !strings.Contains(text, reservation) {
		if text == "" {
			return "", complain("empty").advise(right)
		}
		meant := meantCheckout(text)
		if _, c := checkout(meant); meant != "" && c == nil {
			return "", complain("%q lacks {reservation}", text).advise("write " + meant)
		}
		return "", complain("%q lacks {reservation}", text).advise(right)
	}
	const stand = "RESERVATION"
	filled := strings.ReplaceAll(fieldHole.ReplaceAllString(text, "CHOICE"), reservation, stand)
	if meant := meantCheckout(text); strings.ContainsAny(filled, "{}") && fieldless(meant) {
		return "", complain("%q holds another brace", text).advise("write " + meant)
	}
	if strings.ContainsAny(filled, "{}") {
		return "", complain("%q holds another brace", text).advise("the placeholders are {reservation} and, for the field size of the buy, {buy.size}")
	}
	if c := misplaced(text); c != nil {
		return "", c
	}
	u, err := url.Parse(filled)
	local := err == nil && u.Scheme == "" && u.Host == "" && strings.HasPrefix(text, "/")
	remote := err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil
	if !local && !remote || strings.ContainsAny(text, "\\ ") {
		return "", complain("%q is neither a path nor a URL", text).advise(right + ", or a whole URL")
	}
	if strings.Contains(u.Host, stand) {
		return "", complain("{reservation} is part of the host").advise("write it in the path or the query")
	}
	return text, nil
}

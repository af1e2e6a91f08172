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
		return Buy{}, complain("%q is not a request", text).advise("write method and path, as POST /toys/golden/buy")
	}
	switch method {
	case "POST", "PUT", "PATCH":
	default:
		return Buy{}, complain("%q is not a method that buys", method).advise("write POST, PUT or PATCH: nothing else may buy")
	}
	target, c := sitePath(strings.TrimLeft(target, " "))
	return Buy{Method: method, Path: target}, c
}

// sitePath reads an absolute path of the shop, in its clean form: what requests
// are compared with after every folding that an origin might do.
func sitePath(text string) (string, *complaint) {
	const right = "write a path as /toys/golden"
	if !strings.HasPrefix(text, "/") {
		return "", complain("%q does not begin with /", text).advise(right)
	}
	if i := strings.IndexFunc(text, notInPath); i >= 0 {
		return "", complain("%q holds %q", text, []rune(text[i:])[0]).advise(right)
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

// checkout reads the address that a winner is sent to.
func checkout(text string) (string, *complaint) {
	const right = "write one as /checkout?reservation={reservation}"
	if !strings.Contains(text, reservation) {
		return "", complain("%q lacks {reservation}", text).advise(right)
	}
	const stand = "RESERVATION"
	filled := strings.ReplaceAll(fieldHole.ReplaceAllString(text, "CHOICE"), reservation, stand)
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

package configs

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// oneOf reads a word out of a few.
func oneOf[W ~string](words ...W) func(string) (W, *complaint) {
	known := make([]string, len(words))
	for i, w := range words {
		known[i] = string(w)
	}
	return func(text string) (W, *complaint) {
		for _, w := range words {
			if text == string(w) {
				return w, nil
			}
		}
		if meant, ok := nearest(text, known); ok {
			return "", complain(fmt.Sprintf("did you mean %q?", meant), "%q is not known", text)
		}
		return "", complain("write "+either(known), "%q is not known", text)
	}
}

// words reads a text of one line, at most so many characters.
func words(most int) func(string) (string, *complaint) {
	return func(text string) (string, *complaint) {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return "", complain("write it in one line", "more than one line")
		}
		if n := len([]rune(text)); n > most {
			return "", complain(fmt.Sprintf("at most %d", most), "%d characters long", n)
		}
		return text, nil
	}
}

var (
	saleName  = regexp.MustCompile(`^[a-z0-9-]{1,48}$`)
	fieldName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$") // RFC 9110 token
	hostLabel = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$`)
)

// saleID reads a sale's name. "assets" is taken: it is a path beside the sales.
func saleID(text string) (string, *complaint) {
	if !saleName.MatchString(text) {
		return "", complain("a-z, 0-9 and -, at most 48, as golden-toy", "%q is not a sale's name", text)
	}
	if text == "assets" {
		return "", complain("choose another name", "%q is a reserved name", text)
	}
	return text, nil
}

// cookieName reads the name of the storefront's own cookie (RFC 6265).
func cookieName(text string) (string, *complaint) {
	if !fieldName.MatchString(text) {
		return "", complain("write a cookie's name, as session_id", "%q is not a cookie's name", text)
	}
	if strings.HasPrefix(text, "__Host-wr") {
		return "", complain("write a cookie of the storefront", "%q is a cookie of our own", text)
	}
	return text, nil
}

// headerName reads the name of a request header of the storefront (RFC 9110).
func headerName(text string) (string, *complaint) {
	if !fieldName.MatchString(text) {
		return "", complain("write a header's name, as X-Account", "%q is not a header's name", text)
	}
	if strings.HasPrefix(strings.ToLower(text), "waitroom-") {
		return "", complain("write a header of the storefront", "%q is a header of our own", text)
	}
	return text, nil
}

// domain reads a host name, in lower case.
func domain(text string) (string, *complaint) {
	lower := strings.ToLower(text)
	if len(lower) > 253 {
		return "", complain("write a host name", "%d characters long", len(lower))
	}
	for i, label := range strings.Split(lower, ".") {
		if i == 0 && label == "*" {
			continue
		}
		if len(label) > 63 || !hostLabel.MatchString(label) {
			return "", complain("write a host name without scheme and port, as shop.example.com", "%q is not a domain", text)
		}
	}
	return lower, nil
}

// email reads a mailbox as far as it can be told to be none.
func email(text string) (string, *complaint) {
	name, host, _ := strings.Cut(text, "@")
	if _, c := domain(host); c != nil || name == "" || strings.ContainsAny(text, " \t<>") {
		return "", complain("write one as ops@example.com", "%q is not an e-mail address", text)
	}
	return text, nil
}

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
		if meant, ok := Nearest(text, known); ok {
			return "", complain("%q is not known", text).advise(fmt.Sprintf("did you mean %q?", meant))
		}
		return "", complain("%q is not known", text).advise("write " + either(known))
	}
}

// checkKind reads who is asked. Others have names that are almost alike, so none is
// guessed.
func checkKind(text string) (CheckKind, *complaint) {
	if kind := CheckKind(text); kind == Turnstile || kind == HCaptcha {
		return kind, nil
	}
	return "", complain("%q is not known", text).advise("write turnstile or hcaptcha: there are no others")
}

// words reads a text of one line, at most so many characters.
func words(most int) func(string) (string, *complaint) {
	return func(text string) (string, *complaint) {
		if strings.ContainsFunc(text, breaksLine) {
			return "", complain("more than one line").advise("write it in one line")
		}
		if i := strings.IndexFunc(text, isBidi); i >= 0 {
			return "", complain("holds %U, which turns the direction of text", []rune(text[i:])[0]).advise("leave it out: pages find the direction themselves")
		}
		if text != "" && !strings.ContainsFunc(text, isSeen) {
			return "", complain("holds nothing that can be seen").advise("write what shoppers read")
		}
		if n := len([]rune(text)); n > most {
			return "", complain("%d characters long", n).advise(fmt.Sprintf("at most %d", most))
		}
		return text, nil
	}
}

// mixName reads what names the public value of a draw.
func mixName(text string) (string, *complaint) {
	if len(text) > maxMix {
		return "", complain("%d bytes long", len(text)).advise(fmt.Sprintf("at most %d", maxMix))
	}
	if notText[strings.ToLower(text)] {
		return "", complain("%q names no public value", text).advise("name what everybody can look up, as mix: lottery numbers of 27 November, or leave it out")
	}
	return words(maxMix)(text)
}

var (
	markup = regexp.MustCompile(`</?[A-Za-z][^<>]*>`)
	unseen = regexp.MustCompile("[\u200b\u2060\ufeff\u00ad]")
)

// titleText reads what shoppers read on every page, as text and nothing else.
func titleText(text string) (string, *complaint) {
	if found := markup.FindString(text); found != "" {
		plain := strings.Join(strings.Fields(markup.ReplaceAllString(text, "")), " ")
		if plain == "" {
			plain = "what shoppers read, as Golden toy"
		}
		return "", complain("shows %q as it is typed: it is text, not HTML", found).advise("write " + plain)
	}
	if unseen.MatchString(text) {
		return "", complain("holds a character that cannot be seen").advise("write " + unseen.ReplaceAllString(text, ""))
	}
	return words(maxTitle)(text)
}

const maxTitle = 200

// truth reads whether something is so.
func truth(text string) (bool, *complaint) {
	word, c := oneOf("true", "false")(text)
	if meant, ok := map[string]string{"yes": "true", "ja": "true", "on": "true", "1": "true", "no": "false", "nein": "false", "off": "false", "0": "false"}[strings.ToLower(text)]; ok {
		c = c.advise("write " + meant)
	}
	return word == "true", c
}

func breaksLine(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) }

// isSeen reports whether a character alone leaves something to be read.
func isSeen(r rune) bool {
	const brailleBlank = 0x2800
	return !unicode.IsSpace(r) && r != brailleBlank && unicode.IsGraphic(r) &&
		!unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// isBidi reports whether a character is one of those that make text read
// otherwise than it is written (UAX #9).
func isBidi(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }

var (
	saleIDForm = regexp.MustCompile(`^[a-z0-9-]{1,48}$`)
	fieldName  = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$") // RFC 9110 token
	hostLabel  = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$`)
)

// saleID reads a sale's name. Two are taken: "assets" is a path beside the sales, and "lang"
// a cookie beside theirs.
func saleID(text string) (string, *complaint) {
	if !saleIDForm.MatchString(text) {
		if meant := meantID(text); meant != "" {
			return "", complain("%q is not a sale's name", text).advise("write " + meant)
		}
		return "", complain("%q is not a sale's name", text).advise("write a-z, 0-9 and -, at most 48, as golden-toy")
	}
	if text == "assets" || text == "lang" {
		return "", complain("%q is a reserved name", text).advise("choose another name")
	}
	return text, nil
}

// cookieName reads the name of the storefront's own cookie (RFC 6265).
func cookieName(text string) (string, *complaint) {
	if !fieldName.MatchString(text) {
		return "", complain("%q is not a cookie's name", text).advise("write a cookie's name, as session_id")
	}
	if strings.HasPrefix(text, "__Host-wr") {
		return "", complain("%q is a cookie of our own", text).advise("write a cookie of the storefront")
	}
	return text, nil
}

// headerName reads the name of a request header of the storefront (RFC 9110).
func headerName(text string) (string, *complaint) {
	if !fieldName.MatchString(text) {
		return "", complain("%q is not a header's name", text).advise("write a header's name, as X-Account")
	}
	if strings.HasPrefix(strings.ToLower(text), "waitroom-") {
		return "", complain("%q is a header of our own", text).advise("write a header of the storefront")
	}
	return text, nil
}

// domain reads a host name, in lower case.
func domain(text string) (string, *complaint) {
	lower := strings.ToLower(text)
	if len(lower) > 253 {
		return "", complain("%d characters long", len(lower)).advise("write a host name")
	}
	for i, label := range strings.Split(lower, ".") {
		if i == 0 && label == "*" {
			continue
		}
		if len(label) > 63 || !hostLabel.MatchString(label) {
			return "", complain("%q is not a domain", text).advise("write a host name without scheme and port, as shop.example.com")
		}
	}
	return lower, nil
}

// email reads a mailbox as far as it can be told to be none.
func email(text string) (string, *complaint) {
	name, host, _ := strings.Cut(text, "@")
	if _, c := domain(host); c != nil || name == "" || strings.ContainsAny(text, " \t<>") {
		return "", complain("%q is not an e-mail address", text).advise("write one as ops@example.com")
	}
	return text, nil
}

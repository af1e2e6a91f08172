package configs

import (
	"regexp"
	"strings"
)

// moneySigns are the codes of what is written as a sign or a word, and whose money it is
// that is most likely meant where several countries write it so.
var moneySigns = []struct {
	sign, code, whose string
}{
	{"€", "EUR", ""}, {"£", "GBP", ""}, {"US$", "USD", ""}, {"$", "USD", aDollar}, {"JP¥", "JPY", ""}, {"¥", "JPY", aYen}, {"円", "JPY", ""}, {"zł", "PLN", ""}, {"₹", "INR", ""}, {"₩", "KRW", ""}, {"₺", "TRY", ""}, {"₫", "VND", ""},
	{"Euros", "EUR", ""}, {"Euro", "EUR", ""}, {"euros", "EUR", ""}, {"euro", "EUR", ""}, {"US dollars", "USD", ""}, {"Dollars", "USD", aDollar}, {"dollars", "USD", aDollar}, {"dollar", "USD", aDollar}, {"pounds", "GBP", "pounds of the United Kingdom"}, {"yen", "JPY", ""},
}

const (
	aDollar = "dollars of the United States"
	aYen    = "yen of Japan"
)

var (
	noCents      = regexp.MustCompile(`[.,] ?[-–]+`)
	moneyParts   = regexp.MustCompile(`^([A-Z]{3})? ?([0-9][0-9.,' ]*[0-9]|[0-9]) ?([A-Z]{3})?$`)
	thousandth   = regexp.MustCompile(`^([0-9]{1,3})[.,]([0-9]{3})$`)
	decimalPlace = regexp.MustCompile(`^(.*)[.,]([0-9]{1,2})$`)
)

// signless is an amount with a sign, with marks between its thousands, or with a comma
// for its point, as it is written here; the same text where it is none of these. whose is
// whose money a sign most likely means. What may be thousands or digits behind the point
// keeps its point.
func signless(text string) (plain, whose string) {
	plain = strings.TrimSpace(noCents.ReplaceAllString(text, ""))
	whole, signed := plain != text, false
	for _, s := range moneySigns {
		if strings.Contains(plain, s.sign) {
			plain, whose, signed = strings.TrimSpace(strings.Replace(plain, s.sign, " "+s.code+" ", 1)), s.whose, true
			break
		}
	}
	parts := moneyParts.FindStringSubmatch(strings.Join(strings.Fields(plain), " "))
	if parts == nil || (parts[1] == "") == (parts[3] == "") {
		return text, ""
	}
	amount, cents, code := parts[2], "", parts[1]+parts[3]
	if p := decimalPlace.FindStringSubmatch(amount); p != nil {
		amount, cents = p[1], "."+p[2]
		if len(p[2]) == 1 {
			cents += "0"
		}
	} else if p := thousandth.FindStringSubmatch(amount); p != nil && doubtful(p[1], p[2], code) {
		return p[1] + "." + p[2] + " " + code, whose
	}
	if !signed && !whole && !grouped.MatchString(amount) {
		return text, ""
	}
	if plain, ok := ungrouped(amount); ok {
		amount = plain
	}
	return amount + cents + " " + code, whose
}

// doubtful reports whether three digits behind a mark may be such behind the point: not
// where the currency has none, nor where they would be no whole cents.
func doubtful(whole, fraction, code string) bool {
	digits, known := minorDigits(code)
	switch {
	case !known, digits == 0:
		return false
	case whole == "0":
		return true
	}
	return strings.HasSuffix(fraction, strings.Repeat("0", max(3-digits, 0)))
}

package configs

import (
	"regexp"
	"strings"
)

// moneySigns are the codes of what is written as a sign or a word.
var moneySigns = []struct {
	sign, code string
}{
	{"€", "EUR"}, {"£", "GBP"}, {"US$", "USD"}, {"$", "USD"}, {"¥", "JPY"}, {"zł", "PLN"}, {"₹", "INR"}, {"₩", "KRW"}, {"₺", "TRY"}, {"₫", "VND"},
	{"Euros", "EUR"}, {"Euro", "EUR"}, {"euros", "EUR"}, {"euro", "EUR"}, {"dollars", "USD"}, {"pounds", "GBP"},
}

var (
	noCents      = regexp.MustCompile(`[.,] ?[-–]+`)
	moneyParts   = regexp.MustCompile(`^([A-Z]{3})? ?([0-9][0-9.,' ]*[0-9]|[0-9]) ?([A-Z]{3})?$`)
	decimalPlace = regexp.MustCompile(`^(.*)[.,]([0-9]{1,2})$`)
)

// signless is an amount with a sign, with marks between its thousands, or with a comma
// for its point, as it is written here; the same text where it is none of these. sign is
// the first character of what stood for the currency.
func signless(text string) (plain string, sign byte) {
	plain = strings.TrimSpace(noCents.ReplaceAllString(text, ""))
	whole := plain != text
	for _, s := range moneySigns {
		if strings.Contains(plain, s.sign) {
			plain, sign = strings.TrimSpace(strings.Replace(plain, s.sign, " "+s.code+" ", 1)), s.sign[len(s.sign)-1]
			break
		}
	}
	parts := moneyParts.FindStringSubmatch(strings.Join(strings.Fields(plain), " "))
	if parts == nil || (parts[1] == "") == (parts[3] == "") {
		return text, 0
	}
	amount, cents := parts[2], ""
	if p := decimalPlace.FindStringSubmatch(amount); p != nil {
		amount, cents = p[1], "."+p[2]
		if len(p[2]) == 1 {
			cents += "0"
		}
	}
	if sign == 0 && !whole && !grouped.MatchString(amount) {
		return text, 0
	}
	if plain, ok := ungrouped(amount); ok {
		amount = plain
	}
	return amount + cents + " " + parts[1] + parts[3], sign
}

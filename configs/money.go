package configs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Money is an exact amount in one currency: a whole number of its minor units,
// never a binary fraction. The zero Money is none.
type Money struct {
	minor    int64
	currency string // ISO 4217
}

// mostMinor bounds what a file may say: it is reached by no currency's sums of a
// real sale, and times the most units of an account it is still an int64.
const mostMinor = 99_999_999_999_999

var (
	moneyForm   = regexp.MustCompile(`^(0|[1-9][0-9]*)(?:\.([0-9]+))? ([A-Z]{3})$`)
	looseMoney  = regexp.MustCompile(`^(?:([A-Za-z]{3}) *)?([0-9]+)(?:[.,]([0-9]+))? *([A-Za-z]{3})?$`)
	moneyNumber = regexp.MustCompile(`^[0-9]+([.,][0-9]+)?$`)
)

// ParseMoney reads an amount as the files write it: 19.90 EUR, 1900 JPY. The
// digits behind the point are the currency's own (ISO 4217), or none of them.
func ParseMoney(text string) (Money, error) {
	m, c := money(text)
	if c != nil {
		return Money{}, fmt.Errorf("%s, %s", c.wrong, c.right)
	}
	return m, nil
}

// money reads a Money that is more than nothing.
func money(text string) (Money, *complaint) {
	parts := moneyForm.FindStringSubmatch(text)
	if parts == nil {
		return Money{}, moneyComplaint(text)
	}
	whole, fraction, currency := parts[1], parts[2], parts[3]
	digits, known := minorDigits(currency)
	if !known {
		return Money{}, complain("%q is not a currency", currency).advise("write one of ISO 4217, as EUR")
	}
	if fraction == "" {
		fraction = strings.Repeat("0", digits)
	}
	nothing := strings.Trim(whole+fraction, "0") == ""
	if len(fraction) != digits && !nothing {
		return Money{}, complain("%s has %s behind the point", currency, plural(digits, "digit")).
			advise("write it as " + withDigits(whole, fraction, digits, currency))
	}
	n, err := strconv.ParseInt(whole+fraction, 10, 64)
	if err != nil || n > mostMinor || nothing {
		return Money{}, complain("%s is out of bounds", text).
			advise(fmt.Sprintf("from %s to %s", Money{1, currency}, Money{mostMinor, currency}))
	}
	return Money{n, currency}, nil
}

// withDigits is an amount with so many digits behind the point, or what may be
// meant by one with more: the neighbours, where more than zeros would be cut off,
// and thousands, where the point is read as it is in many countries.
func withDigits(whole, fraction string, digits int, currency string) string {
	if len(fraction) < digits {
		return minorUnits(whole+fraction+strings.Repeat("0", digits-len(fraction)), 0, currency)
	}
	least, rest := whole+fraction[:digits], fraction[digits:]
	var meant []string
	if strings.Trim(least, "0") != "" {
		meant = append(meant, minorUnits(least, 0, currency))
	}
	if strings.Trim(rest, "0") != "" {
		meant = append(meant, minorUnits(least, 1, currency))
	}
	if len(fraction) == 3 && whole != "0" {
		meant = append(meant, minorUnits(whole+fraction+strings.Repeat("0", digits), 0, currency))
	}
	return strings.Join(meant, " or ")
}

// minorUnits is the amount of a text of digits and so much more, within bounds.
func minorUnits(text string, more int64, currency string) string {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		n = mostMinor
	}
	return Money{min(n+more, mostMinor), currency}.String()
}

// moneyComplaint says what is wrong with what has not the form of money, and what
// it probably means.
func moneyComplaint(text string) *complaint {
	const right = "write amount and currency, as 19.90 EUR"
	if meant, whose := signless(text); meant != text {
		if right := readings(meant); right != "" {
			if whose != "" {
				right += ", if it is " + whose
			}
			return complain("%q is not an amount of money as it is written here", text).advise(right)
		}
	}
	if moneyNumber.MatchString(text) {
		if m, c := money(strings.Replace(text, ",", ".", 1) + " EUR"); c == nil {
			return complain("%q has no currency", text).advise("write its code behind it, as " + m.String())
		}
		return complain("%q has no currency", text).advise("write its code behind it, as EUR")
	}
	if strings.HasPrefix(text, "-") {
		return complain("%q is negative", text).advise("write what one unit costs")
	}
	parts := looseMoney.FindStringSubmatch(text)
	if parts == nil || (parts[1] == "") == (parts[4] == "") {
		return complain("%q is not an amount of money", text).advise(right)
	}
	meant := strings.TrimLeft(parts[2], "0")
	if meant == "" {
		meant = "0"
	}
	if parts[3] != "" {
		meant += "." + parts[3]
	}
	meant += " " + strings.ToUpper(parts[1]+parts[4])
	if m, c := money(meant); c == nil { // no further than once: it has the form
		return complain("%q is not an amount of money", text).advise("write " + m.String())
	}
	return complain("%q is not an amount of money", text).advise(right)
}

// readings advises what an amount may mean that has the form of one: both, where its three
// digits behind the point may be thousands; empty where it means nothing.
func readings(text string) string {
	parts := moneyForm.FindStringSubmatch(text)
	if parts == nil {
		return ""
	}
	if digits, known := minorDigits(parts[3]); known && digits == len(parts[2]) && digits == 3 && parts[1] != "0" {
		thousands := minorUnits(parts[1]+parts[2]+"000", 0, parts[3])
		return "write " + text + " or " + thousands
	}
	m, c := money(text)
	switch {
	case c == nil:
		return "write " + m.String()
	case strings.HasPrefix(c.right, "write it as "):
		return "write " + strings.TrimPrefix(c.right, "write it as ")
	}
	return ""
}

// IsSet reports whether there is an amount at all.
func (m Money) IsSet() bool { return m.currency != "" }

// Currency is the code of ISO 4217, as EUR.
func (m Money) Currency() string { return m.currency }

// Amount is the plain decimal, with as many digits behind the point as the
// currency has: 19.90.
func (m Money) Amount() string {
	digits, _ := minorDigits(m.currency)
	text := fmt.Sprintf("%0*d", digits+1, m.minor)
	if digits == 0 {
		return text
	}
	point := len(text) - digits
	return text[:point] + "." + text[point:]
}

// Times is the amount for n units, n at most what one account may buy.
func (m Money) Times(n int) Money { return Money{m.minor * int64(n), m.currency} }

// String is the amount as the files write it; empty when there is none.
func (m Money) String() string {
	if !m.IsSet() {
		return ""
	}
	return m.Amount() + " " + m.currency
}

// MarshalText is String.
func (m Money) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText is ParseMoney, and none for an empty text.
func (m *Money) UnmarshalText(text []byte) (err error) {
	*m = Money{}
	if len(text) > 0 {
		*m, err = ParseMoney(string(text))
	}
	return err
}

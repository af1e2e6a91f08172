package configs_test

import (
	"testing"

	"github.com/waitroom/waitroom/configs"
)

func TestParseMoney(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want, twice, amount string }{
		{"19.90 EUR", "19.90 EUR", "39.80 EUR", "19.90"},
		{"19 EUR", "19.00 EUR", "38.00 EUR", "19.00"},
		{"0.01 USD", "0.01 USD", "0.02 USD", "0.01"},
		{"0.005 KWD", "0.005 KWD", "0.010 KWD", "0.005"},
		{"1 JPY", "1 JPY", "2 JPY", "1"},
		{"0.29 CHF", "0.29 CHF", "0.58 CHF", "0.29"}, // 0.29 is no binary fraction
		{"999999999999.99 EUR", "999999999999.99 EUR", "1999999999999.98 EUR", "999999999999.99"},
		{"19.900 EUR", "", "", ""},
		{"1.5 JPY", "", "", ""},
		{"019.90 EUR", "", "", ""},
		{"19.90  EUR", "", "", ""},
		{" 19.90 EUR", "", "", ""},
		{".90 EUR", "", "", ""},
		{"19. EUR", "", "", ""},
		{"+19.90 EUR", "", "", ""},
		{"19.90 XAU", "", "", ""},
		{"19.90 DEM", "", "", ""},
		{"0 JPY", "", "", ""},
		{"1000000000000.00 EUR", "", "", ""},
		{"99999999999999999999999 EUR", "", "", ""},
		{"１9.90 EUR", "", "", ""},
		{"", "", "", ""},
	} {
		m, err := configs.ParseMoney(test.text)
		if (err != nil) != (test.want == "") || m.IsSet() != (err == nil) || m.String() != test.want {
			t.Errorf("%q: got %q, %v; want %q", test.text, m, err, test.want)
		}
		if err != nil {
			continue
		}
		if got := m.Times(2).String(); got != test.twice {
			t.Errorf("twice %q: got %q, want %q", test.text, got, test.twice)
		}
		if got := m.Amount(); got != test.amount {
			t.Errorf("amount of %q: got %q, want %q", test.text, got, test.amount)
		}
		if again, err := configs.ParseMoney(m.String()); again != m || err != nil {
			t.Errorf("%q read again: got %q, %v", m, again, err)
		}
	}
}

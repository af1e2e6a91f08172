package configs_test

import (
	"errors"
	"testing"

	"github.com/waitroom/waitroom/configs"
)

// TestAdvice_Amounts: an amount is only advised where every part of what was typed is
// understood, with all that it may mean.
func TestAdvice_Amounts(t *testing.T) {
	t.Parallel()
	const (
		aCount = "write a whole number in plain digits, as 100"
		aRate  = "write a whole number in a span, as 2000/s, 30/min or 600/h"
		aSpan  = "write whole hours, minutes and seconds, as 1h30m, 10m or 90s"
		aUnit  = "write how many in a second, a minute or an hour, as 2000/s, 30/min or 600/h"
	)
	for _, test := range []struct{ key, value, right string }{
		{"stock", "2 million", "write 2000000"},
		{"stock", "2.5 million", "write 2500000"},
		{"stock", "3 thousand", "write 3000"},
		{"stock", "2 hundred", "write 200"},
		{"stock", "2 dozen", "write 24"},
		{"stock", "10 tausend", "write 10000"},
		{"stock", "1 lakh", "write 100000"},
		{"stock", "2K", "write 2000"},
		{"stock", "2M", "write 2000000"},
		{"stock", "1.5k", "write 1500"},
		{"stock", "100pcs", "write 100"},
		{"stock", "about 1,000 units", "write 1000"},
		{"stock", "1OO", aCount},
		{"stock", "minus 100", aCount},
		{"stock", "100%", aCount},
		{"stock", "100 pairs", aCount},
		{"stock", "0.500", aCount},
		{"stock", "0,500", aCount},
		{"stock", "1,000.000", aCount},
		{"stock", "twenty twelve", aCount},
		{"stock", "ten five", aCount},
		{"stock", "a hundred dozen", aCount},
		{"stock", "five hundred thousand", "write 500000"},
		{"stock", "twenty-one", "write 21"},
		{"admit", "0.500/s", "write 30/min"},
		{"admit", "0,5/s", "write 30/min"},
		{"admit", "20/10s", "write 2/s"},
		{"admit", "1/10s", "write 6/min"},
		{"admit", "20 s", aRate},
		{"admit", "20 mins", aRate},
		{"admit", "1000/day", aUnit},
		{"admit", "20 boxes per minute", aRate},
		{"admit", "20 req/s", "write 20/s"},
		{"admit", "2K/s", "write 2000/s"},
		{"hold", "1.30 h", aSpan},
		{"hold", "1.5 h", "write 1h30m"},
		{"hold", "2 days", "from 1s to 24h"},
		{"price", "0.990 €", "write 0.99 EUR"},
		{"price", "0,500 €", "write 0.50 EUR"},
		{"price", "19,900 EUR", "write 19.90 EUR or 19900.00 EUR"},
		{"price", "19.900 EUR", "write it as 19.90 EUR or 19900.00 EUR"},
		{"price", "1,299 €", "write 1299.00 EUR"},
		{"price", "1,500 KWD", "write 1.500 KWD or 1500.000 KWD"},
		{"price", "1,900 JPY", "write 1900 JPY"},
		{"price", "¥1900", "write 1900 JPY, if it is yen of Japan"},
		{"price", "20 dollars", "write 20.00 USD, if it is dollars of the United States"},
		{"price", "US$20", "write 20.00 USD"},
	} {
		_, err := with(t, test.key, `"`+test.value+`"`)
		if faults, ok := errors.AsType[configs.Faults](err); !ok || len(faults) != 1 || faults[0].Right != test.right {
			t.Errorf("%s: %s: got %v, want %q", test.key, test.value, err, test.right)
		}
	}
}

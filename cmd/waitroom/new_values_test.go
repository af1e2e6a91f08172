package main

import (
	"strings"
	"testing"
)

func TestValues(t *testing.T) {
	t.Parallel()
	page := func(text string) string { path, _ := pathOf(text); return path }
	for _, test := range []struct {
		name       string
		read       func(string) string
		text, want string
	}{
		{"id", idOf, "Golden toy, half price", "golden-toy-half-price"},
		{"id of umlauts", idOf, "Größe Ñandú – ½", "groesse-nandu-1-2"},
		{"id of none", idOf, "金", ""},
		{"id of much", idOf, strings.Repeat("golden ", 20), "golden-golden-golden-golden-golden"},
		{"page", page, "https://shop.example.com/toys/golden?a=b#c", "/toys/golden"},
		{"page without scheme", page, "shop.example.com/toys/golden", "/toys/golden"},
		{"page of a port", page, "http://127.0.0.1:8080", "/"},
		{"page escaped", page, "https://shop.example.com/sp%C3%A4t", "/spät"},
		{"page as a path", page, "/toys/golden", "/toys/golden"},
		{"page of another kind", page, "ftp://x/y", "ftp://x/y"},
		{"buy", buyOf, "post /toys/golden/buy", "POST /toys/golden/buy"},
		{"buy without method", buyOf, "/toys/golden/buy", "POST /toys/golden/buy"},
		{"buy as an address", buyOf, "https://shop.example.com/buy?x=1", "POST /buy"},
		{"buy as PUT", buyOf, "PUT https://shop.example.com/buy", "PUT /buy"},
		{"buy of words", buyOf, "the button", "the button"},
		{"digits", plainDigits, "1,000,000", "1000000"},
		{"digits with points", plainDigits, "1.000", "1.000"},
		{"digits with blanks", plainDigits, "10 000", "10000"},
		{"no groups", plainDigits, "1,00", "1,00"},
		{"speed", speedOf, "20 per second", "20/s"},
		{"speed of people", speedOf, "1,200 people a minute", "1200/min"},
		{"speed of files", speedOf, "20/s", "20/s"},
		{"speed of an hour", speedOf, "600/hour", "600/h"},
		{"no speed", speedOf, "fast", "fast"},
	} {
		if got := test.read(test.text); got != test.want {
			t.Errorf("%s: %q: got %q, want %q", test.name, test.text, got, test.want)
		}
	}
	for stock, want := range map[int]string{1: "3/min", 19: "57/min", 20: "1/s", 100: "5/s", 1000: "50/s", 250: "12/s", 1_000_000: "200/s"} {
		if got := paceFor(stock); got != want {
			t.Errorf("pace for %d: got %s, want %s", stock, got, want)
		}
	}
}

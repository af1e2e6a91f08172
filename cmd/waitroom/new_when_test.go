package main

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestUnderstand: what people type, on Wednesday 25 November 2026. What is left as it was
// typed is for the rules of files.
func TestUnderstand(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 14, 0, 0, 0, time.UTC)
	for _, test := range []struct{ text, want string }{
		{"2026-11-27 10:00", "2026-11-27 10:00"},
		{"2026-10-25 02:30 +02:00", "2026-10-25 02:30 +02:00"},
		{"2026-11-27 10:00:30", "2026-11-27 10:00:30"},
		{"2026-11-27 10am", "2026-11-27 10:00"},
		{"2026/11/27 at 10:00", "2026-11-27 10:00"},
		{"27.11.2026 10:00", "2026-11-27 10:00"},
		{"27.11.2026, 10.00 Uhr", "2026-11-27 10:00"},
		{"27.11.2026 10.00", "2026-11-27 10:00"},
		{"27.11. 10 Uhr", "2026-11-27 10:00"},
		{"27. 11. 2026 10h30", "2026-11-27 10:30"},
		{"1.2.27 9:05", "2027-02-01 09:05"},
		{"24.11. 10:00", "2027-11-24 10:00"},
		{"27/11/2026 10:00", "2026-11-27 10:00"},
		{"11/27/2026 6 pm", "2026-11-27 18:00"},
		{"04/04/2027 10:00", "2027-04-04 10:00"},
		{"27 November 2026 10:00", "2026-11-27 10:00"},
		{"Friday, 27th of November 2026 at 10:30 p.m.", "2026-11-27 22:30"},
		{"Fri Nov 27, 2026 noon", "2026-11-27 12:00"},
		{"3 Sept 9am", "2027-09-03 09:00"},
		{"tomorrow 18:00", "2026-11-26 18:00"},
		{"18:00 tomorrow", "2026-11-26 18:00"},
		{"today 6pm", "2026-11-25 18:00"},
		{"the day after tomorrow 8:00", "2026-11-27 08:00"},
		{"next friday 10am", "2026-11-27 10:00"},
		{"on friday at 10:00", "2026-11-27 10:00"},
		{"next wednesday 10:00", "2026-12-02 10:00"},
		{"every Thursday 18:00", "every Thursday 18:00"},
		{"every thu at 6pm", "every Thursday 18:00"},
		{"each monday, wednesday and fri 12:00", "every Monday, Wednesday and Friday 12:00"},
		{"Thursdays 18:00", "every Thursday 18:00"},
		{"daily 9:00", "every day 09:00"},
		{"every day 9am", "every day 09:00"},
		{"weekdays 9:00", "every Monday, Tuesday, Wednesday, Thursday and Friday 09:00"},

		{"03/04/2026 10:00", "! can be read in two ways, write 2026-04-03 or 2026-03-04"},
		{"3-4-2027 10:00", "! can be read in two ways"},
		{"wednesday 10:00", "! today is a Wednesday"},
		{"Thursday 27.11.2026 10:00", "! 27 November 2026 is a Friday, not a Thursday"},
		{"27.11.2026 12am", "! read as noon by some and as midnight by others"},
		{"friday midnight", "! belongs to two days"},
		{"every thursday", "! has no hour"},

		{"30.02.2027 10:00", "2027-02-30 10:00"},
		{"27.11.2026", "2026-11-27"},
		{"10:00", "10:00"},
		{"27.11.2026 25:00", "27.11.2026 25:00"},
		{"27.11.2026 10:00 CET", "27.11.2026 10:00 CET"},
		{"every other thursday 18:00", "every other thursday 18:00"},
		{"soon", "soon"},
		{"", ""},
	} {
		got, err := understand(test.text, now)
		if wrong, is := strings.CutPrefix(test.want, "! "); is {
			if err == nil || !strings.Contains(err.Error(), wrong) {
				t.Errorf("%q: got %q, %v; want %q", test.text, got, err, wrong)
			}
		} else if err != nil || got != test.want {
			t.Errorf("%q: got %q, %v; want %q", test.text, got, err, test.want)
		}
	}
}

// Whatever is typed, it is understood once: what files write stays as it is.
// Words around a day, but no day.
func TestUnderstand_NoDay(t *testing.T) {
	t.Parallel()
	if got, ok := repeated("every and"); ok {
		t.Errorf("every and: got %q, want nothing", got)
	}
}

func TestUnderstand_Twice(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 14, 0, 0, 0, time.UTC)
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(strings.Split("every|next|friday|thursdays|27.11.2026|3/4/27|10:00|10am|10.00|uhr|tomorrow|nov|27|and|at|,|12pm", "|")), 1, 5).Draw(r, "words"), " ")
		once, err := understand(text, now)
		if err != nil {
			return
		}
		if again, err := understand(once, now); err == nil && again != once && once != text {
			r.Errorf("%q is %q at first and %q then", text, once, again)
		}
	})
}

func TestValues(t *testing.T) {
	t.Parallel()
	page := func(text string) string { path, _ := pathOf(text); return path }
	span := func(text string) string {
		if d, ok := spanOf(text); ok {
			return lengthOf(d)
		}
		return "no"
	}
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
		{"span", span, "10 minutes", "10m"},
		{"span before", span, "30 min before", "30m"},
		{"span of both", span, "1 hour and 30 minutes", "1h30m"},
		{"span of words", span, "half an hour", "30m"},
		{"span of files", span, "1h", "1h"},
		{"span of 90m", span, "90m", "1h30m"},
		{"no span", span, "10", "no"},
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

package configs_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/waitroom/waitroom/configs"
)

// TestMeantWhen: what people type, on Wednesday 25 November 2026. What is left as it was
// typed is for the rules of files.
func TestMeantWhen(t *testing.T) {
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

		{"03/04/2026 10:00", "! can be read in two ways, write 2026-04-03 or 2026-03-04"},
		{"3-4-2027 10:00", "! can be read in two ways"},
		{"3/4 10:00", "! can be read in two ways, write 2027-04-03 or 2027-03-04"},
		{"28/11 10:00", "2026-11-28 10:00"},
		{"11/28 10:00", "2026-11-28 10:00"},
		{"Saturday 3/4/27 10:00", "2027-04-03 10:00"},
		{"wednesday 10:00", "! today is a Wednesday"},
		{"Thursday 27.11.2026 10:00", "! 27 November 2026 is a Friday, not a Thursday"},
		{"27.11.2026 12am", "! read as noon by some and as midnight by others"},
		{"friday midnight", "! belongs to two days"},

		{"30.02.2027 10:00", "2027-02-30 10:00"},
		{"27.11.2026", "2026-11-27"},
		{"10:00", "10:00"},
		{"27.11.2026 25:00", "27.11.2026 25:00"},
		{"27.11.2026 10:00 CET", "27.11.2026 10:00 CET"},
		{"Freitag, 27. November 2026 um 18 Uhr", "2026-11-27 18:00"},
		{"tomorrow at 6 in the evening", "2026-11-26 18:00"},
		{"27.11.2026 10:00 or later", "27.11.2026 10:00 or later"},
		{"soon", "soon"},
		{"", ""},
	} {
		got, err := configs.MeantWhen(test.text, now)
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
func TestMeantWhen_Twice(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 14, 0, 0, 0, time.UTC)
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(strings.Split("every|next|friday|thursdays|27.11.2026|3/4/27|10:00|10am|10.00|uhr|tomorrow|nov|27|and|at|,|12pm", "|")), 1, 5).Draw(r, "words"), " ")
		once, err := configs.MeantWhen(text, now)
		if err != nil {
			return
		}
		if again, err := configs.MeantWhen(once, now); err == nil && again != once && once != text {
			r.Errorf("%q is %q at first and %q then", text, once, again)
		}
	})
}

// TestMeantRepeat: what is not understood is known to be a repetition all the same.
func TestMeantRepeat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"every Thursday 18:00", "every Thursday 18:00"},
		{"every thu at 6pm", "every Thursday 18:00"},
		{"each monday, wednesday and fri 12:00", "every Monday, Wednesday and Friday 12:00"},
		{"Thursdays 18:00", "every Thursday 18:00"},
		{"daily 9:00", "every day 09:00"},
		{"every day 9am", "every day 09:00"},
		{"weekdays 9:00", "every Monday, Tuesday, Wednesday, Thursday and Friday 09:00"},
		{"each thursday", "each thursday"},
		{"every and", "every and"},
		{"jeden Donnerstag 18 Uhr", "every Thursday 18:00"},
		{"Thursdays at noon", "every Thursday 12:00"},
		{"every other thursday 18:00", "every other thursday 18:00"},
	} {
		if got, ok := configs.MeantRepeat(test.text); !ok || got != test.want {
			t.Errorf("%q: got %q, %v; want %q", test.text, got, ok, test.want)
		}
	}
	for _, text := range []string{"2026-11-27 10:00", "thursday 18:00", "soon", "everyday", ""} {
		if got, ok := configs.MeantRepeat(text); ok {
			t.Errorf("%q: got %q, want that it is none", text, got)
		}
	}
}

// TestMeantSpan: how long, as people say it and as files do.
func TestMeantSpan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"10 minutes": "10m0s", "30 min before": "30m0s", "1 hour and 30 minutes": "1h30m0s", "half an hour": "30m0s", "an hour later": "1h0m0s",
		"1h": "1h0m0s", "1h30m": "1h30m0s", "90m": "1h30m0s", "90s": "1m30s", "2 Stunden": "2h0m0s", "1,5 h": "1h30m0s",
		"10": "", "-10m": "", "0m": "", "soon": "", "": "", "a\nb": "",
	} {
		got, ok := configs.MeantSpan(text)
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%q: got %v, %v; want %q", text, got, ok, want)
		}
	}
}

// TestMeantHour: an hour alone.
func TestMeantHour(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"18:00": "18:00", "6pm": "18:00", "6 p.m.": "18:00", "9.30 Uhr": "09:30", " noon ": "12:00", "10 o'clock": "10:00", "24:00": "", "10": "", "12am": "", "friday 10:00": "", "midnight": ""} {
		if got, ok := configs.MeantHour(text); ok != (want != "") || ok && got != want {
			t.Errorf("%q: got %q, %v; want %q", text, got, ok, want)
		}
	}
}

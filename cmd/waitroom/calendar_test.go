package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/waitroom/waitroom/configs"
)

// atNoon is an instant before which nothing of these tests happens.
var atNoon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

func TestCalendarCommand(t *testing.T) {
	t.Parallel()
	config := planning(t)
	for name, test := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"runs in order": {[]string{"--from", "2098-11-26", "--days", "14"}, 0, []string{
			"Shoes (weekly), every Thursday 18:00\n", "opens  Thursday 27 November 2098, 18:00 (Tokyo, UTC+9)", "sells  50 units, at 20/s", "opens  Thursday 4 December 2098"}},
		"nothing":        {[]string{"--from", "2098-11-28", "--days", "1"}, 0, []string{"Nothing from 28 November 2098 up to 29 November 2098."}},
		"for a program":  {[]string{"--from", "2098-11-26", "--days", "7", "--ics"}, 0, []string{"BEGIN:VCALENDAR\r\n", "UID:weekly@2098-11-27T09:00Z@waitroom\r\n", "DTSTART:20981127T083000Z\r\n", "END:VCALENDAR\r\n"}},
		"no day":         {[]string{"--from", "27.11.2098"}, 2, []string{`--from "27.11.2098": write a day as 2027-11-01`}},
		"too many days":  {[]string{"--days", "367"}, 2, []string{"--days 367: write a number from 1 to 366"}},
		"no such config": {[]string{"--config", config + ".none"}, 2, []string{"cannot be read"}},
	} {
		code, out, errs := command(append([]string{"calendar", "--config", config}, test.args...)...)
		rest := out + errs
		for _, want := range test.want {
			var ok bool
			if _, rest, ok = strings.Cut(rest, want); code != test.code || !ok {
				t.Errorf("%s: exit %d, want %d and %q in\n%s", name, code, test.code, want, out+errs)
			}
		}
	}
}

// A file with a fault hides no other sale, but from a calendar program, which would take
// what is missing for cancelled.
func TestCalendarCommand_Faults(t *testing.T) {
	t.Parallel()
	config := planning(t)
	if err := os.WriteFile(filepath.Join(filepath.Dir(config), "sales", "broken.yaml"), []byte("sale: broken\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{"--ics=false": "Shoes (weekly)", "--ics": ""} {
		code, out, errs := command("calendar", "--config", config, flag)
		if code != 2 || !strings.HasPrefix(out, want) || want == "" && out != "" || !strings.Contains(errs, "broken.yaml:1:1: title: missing") {
			t.Errorf("%s: exit %d, out %q, said %q; want 2, %q and the faults", flag, code, out, errs, want)
		}
	}
}

// TestCalendarFile: lines end and break as RFC 5545 has it, and put together again they
// say what was meant.
func TestCalendarFile(t *testing.T) {
	t.Parallel()
	title := strings.Repeat("größtes 金 Spielzeug; billig, ", 8) + `\ "x"`
	run := configs.Sale{ID: "toy", Key: "toy", Title: title, Zone: time.UTC, Doors: atNoon, Opens: atNoon.Add(time.Hour), Closes: atNoon.Add(2 * time.Hour), Stock: 1000}
	text := calendarFile([]configs.Sale{run}, atNoon)
	for _, line := range strings.SplitAfter(strings.TrimSuffix(text, "\r\n"), "\r\n") {
		line = strings.TrimSuffix(line, "\r\n")
		if len(line) > 75 || !utf8.ValidString(line) || strings.ContainsAny(line, "\r\n") {
			t.Errorf("%d bytes: %q", len(line), line)
		}
	}
	whole := strings.ReplaceAll(text, "\r\n ", "")
	for _, want := range []string{
		"\r\nSUMMARY:" + strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`).Replace(title) + ": doors (opens 13:00)\r\n", "\r\nSEQUENCE:473040\r\n",
		"\r\nDTSTAMP:20261125T120000Z\r\nDTSTART:20261125T120000Z\r\nDTEND:20261125T140000Z\r\n",
		`\nOpens: Wednesday 25 November 2026\, 13:00 (UTC)\n`, `\n1\,000 units\, toy`,
	} {
		if !strings.Contains(whole, want) {
			t.Errorf("%q is not in\n%s", want, whole)
		}
	}
}

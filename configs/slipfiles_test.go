package configs_test

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/configs"
)

// faultsOf are those of a sale's file, each as key, what is wrong and what would be right,
// and the lines as they are shown.
func faultsOf(t *testing.T, text string) (says []string, shown string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "sale.yaml")
	write(t, name, text)
	_, _, err := configs.LoadSaleFile(name, now)
	faults, _ := errors.AsType[configs.Faults](err)
	for _, f := range faults {
		says = append(says, strings.TrimPrefix(f.Key+": "+f.Wrong+", "+f.Right, ": "))
		shown += f.Source
	}
	return says, shown
}

// TestNoSale: a file that is something else is told what a sale's file is, and nothing of
// the operator's keys.
func TestNoSale(t *testing.T) {
	t.Parallel()
	const right = "write one key in each line, as sale: golden-toy"
	for text, want := range map[string]string{
		"- sale: toy\n- stock: 1\n":                      "a list, " + right,
		"Golden toy\n":                                   "a single value, " + right,
		"<p>Golden toy</p>\n":                            "a single value, " + right,
		"\n<!DOCTYPE html>\n<html lang=\"en\"></html>\n": "a web page, not a text file, " + right,
		"\ufeff<html>Golden toy</html>\n":                "a web page, not a text file, " + right,
		"<HTML><body>Golden toy</body></HTML>\n":         "a web page, not a text file, " + right,
	} {
		if says, _ := faultsOf(t, text); len(says) != 1 || says[0] != want {
			t.Errorf("%q: got %q, want %q", text, says, want)
		}
	}
	name := folder(t, "- listen\n", nil)
	_, err := configs.Load(name, environment, now)
	if want := right + " where it is a sale's, or listen: … where it is the operator's"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a list that may be the operator's: got %v, want %q", err, want)
	}
}

// TestElsewhere: a key of another group is told where it belongs, and is no secret in a
// file that has none; what only may be one stays masked.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	const stars = "it begins with *, which means something else here, leave it out, and "
	for line, want := range map[string]string{
		`colour: "#8a6508"`:   `colour: unknown key, "colour" belongs under "brand"`,
		`color: "#8a6508"`:    `color: unknown key, "colour" belongs under "brand"`,
		`logo: golden.svg`:    `logo: unknown key, "logo" belongs under "brand"`,
		`*colour: "#8a6508"`:  "brand.colour: " + stars + "write the key under brand, as brand.colour",
		`* colour: "#8a6508"`: "brand.colour: " + stars + "write the key under brand, as brand.colour",
		`*price: 19.90 EUR`:   "price: " + stars + "begin with the key",
		`• price: 19.90 EUR`:  "price: it begins with •, which means something else here, leave it out, and begin with the key",
	} {
		if says, shown := faultsOf(t, smallSale+line+"\n"); len(says) != 1 || says[0] != want || shown != line {
			t.Errorf("%s: got %q at %q, want %q", line, says, shown, want)
		}
	}
	for line, want := range map[string]string{
		"* Golden":       "it begins with *, which means something else here, leave it out, or write # in its place if the line is a remark",
		"secrt: hunter2": "secrt: unknown key, the keys here are ",
	} {
		if says, shown := faultsOf(t, smallSale+line+"\n"); len(says) != 1 || !strings.HasPrefix(says[0], want) || strings.Contains(shown, "unter") || strings.Contains(shown, "olden") {
			t.Errorf("%s: got %q at %q, want %q", line, says, shown, want)
		}
	}
}

// TestHoursAroundRuns: an hour of the doors or the closing of a sale that repeats is told
// how long before or after the opening it is, where that is sure.
func TestHoursAroundRuns(t *testing.T) {
	t.Parallel()
	dates := regexp.MustCompile(`(?m)^(doors|opens|closes):.*\n`)
	for _, test := range []struct{ key, value, right string }{
		{"doors", "17:30", "write 30m"},
		{"doors", "5.30pm", "write 30m"},
		{"doors", "17 Uhr", "write 1h"},
		{"doors", "20:00", "write it as 30m"},
		{"doors", "18:00", "write it as 30m"},
		{"doors", "2026-12-03 17:30", "write how long before or after the opening, as 30m: repeat says when that is"},
		{"doors", "17:30 or so", "write whole hours, minutes and seconds, as 1h30m, 10m or 90s"},
		{"closes", "20:00", "write 2h"},
		{"closes", "8 p.m.", "write 2h"},
		{"closes", "1:15", "write 7h15m"},
	} {
		says, _ := faultsOf(t, dates.ReplaceAllString(smallSale, "")+"repeat: every Thursday 18:00\n"+test.key+": "+test.value+"\n")
		if len(says) != 1 || !strings.HasPrefix(says[0], test.key+": ") || !strings.HasSuffix(says[0], ", "+test.right) {
			t.Errorf("%s: %s: got %q, want %q", test.key, test.value, says, test.right)
		}
	}
}

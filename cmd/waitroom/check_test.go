package main

import (
	"strings"
	"testing"
)

// One command reads all three kinds of files, whatever they are called.
func TestCheck(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		code int
		want string
	}{
		"a sale":           {rehearsed, 0, "5 units"},
		"a room":           {"sale: shop\ntitle: The shop\nroom: /\nadmit: 5/s\n", 0, "a room, always open"},
		"a room in braces": {"{sale: shop, title: The shop, room: /, admit: 5/s}\n", 0, "a room, always open"},
		"a fault":          {strings.Replace(rehearsed, "50/s", "50", 1), 2, "sale.yaml:12:8: admit: "},
		"an operator's":    {"origin: {url: 5}\n", 2, "sales: missing"},
		"not YAML":         {"sale: [\n", 2, "sale.yaml:1:"},
		"nothing":          {"", 2, "empty"},
	} {
		code, out, errs := command("check", saleFile(t, test.text))
		if code != test.code || !strings.Contains(out+errs, test.want) {
			t.Errorf("%s: exit %d, out %q, said %q; want %d and %q", name, code, out, errs, test.code, test.want)
		}
	}
}

package configs_test

import (
	"errors"
	"testing"

	"github.com/waitroom/waitroom/configs"
)

// TestTitles: of a title nothing is cut off, and nothing in it is taken for a mark; what is
// told is the one line with the whole title.
func TestTitles(t *testing.T) {
	t.Parallel()
	const orRemark = ", or put a space behind # if it is one"
	for value, right := range map[string]string{
		"Toy: #1 in Europe":        `write title: "Toy: #1 in Europe"` + orRemark,
		"Golden toy #1":            `write title: "Golden toy #1"` + orRemark,
		`"Toy" #1`:                 `write title: '"Toy" #1'` + orRemark,
		"!Toy":                     `write title: "!Toy"`,
		"! Toy":                    `write title: "! Toy"`,
		"*Sale*":                   `write title: "*Sale*"`,
		"*Sale* #1":                `write title: "*Sale* #1"`,
		"&Co":                      `write title: "&Co"`,
		"[NEW] Golden toy":         `write title: "[NEW] Golden toy"`,
		"{NEW} Golden toy":         `write title: "{NEW} Golden toy"`,
		"> Golden toy":             `write title: "> Golden toy"`,
		"| Golden toy":             `write title: "| Golden toy"`,
		"@home":                    `write title: "@home"`,
		"Toy: half price # remark": `write title: "Toy: half price"`,
		"Golden toy:":              `write title: "Golden toy:"`,
	} {
		_, err := with(t, "title", value)
		if faults, ok := errors.AsType[configs.Faults](err); !ok || len(faults) != 1 || faults[0].Key != "title" || faults[0].Right != right {
			t.Errorf("%s: got %v, want %q", value, err, right)
		}
	}
	for value, title := range map[string]string{
		"Golden toy # the big one": "Golden toy", `"Golden toy #1" # the big one`: "Golden toy #1", "'#1'": "#1", "C#": "C#", `"\" #"`: `" #`, `'it''s #1' # the big one`: "it's #1", "A#B": "A#B", "Toy:story": "Toy:story", `"Toy: two"`: "Toy: two",
	} {
		if s, err := with(t, "title", value); err != nil || s.Title != title {
			t.Errorf("%s: got %v, %v; want %q", value, s, err, title)
		}
	}
}

// TestAdvice_Passes: what is advised is taken when it is written, and says what was meant.
func TestAdvice_Passes(t *testing.T) {
	t.Parallel()
	const behind = ", if nothing else has that path: what stands behind ? is not looked at"
	for _, test := range []struct{ key, value, right string }{
		{"opens", "2026-12-27 10:00:", "write opens: 2026-12-27 10:00"},
		{"title", `"`, "leave it out, and write the value"},
		{"checkout", "/pay?id={id}&x={x}", "write one as /checkout?reservation={reservation}"},
		{"checkout", `"/checkout?"`, "write /checkout?reservation={reservation}"},
		{"checkout", "/checkout#pay", "write /checkout?reservation={reservation}#pay"},
		{"checkout", `"/checkout#pay?reservation={reservation}"`, "write it before, as /checkout?reservation={reservation}#pay"},
		{"product_page", "https://www.toys.example/golden.", "write /golden"},
		{"product_page", "shop.example.com", "write a path as /toys/golden"},
		{"product_page", "golden.html", "write /golden.html"},
		{"product_page", "/index.php?product=77", "write /index.php" + behind},
		{"product_page", "/toys/golden?utm_source=mail", "write /toys/golden"},
		{"buy", "POST /cart/add?product=77", "write POST /cart/add" + behind},
		{"sale", "Łódź", "write lodz"},
		{"sale", "Toy 黄金", "write a-z, 0-9 and -, at most 48, as golden-toy"},
		{"title", "null", "give it a value or leave the key out"},
		{"title", "~", "give it a value or leave the key out"},
		{"mix", "null", "give it a value or leave the key out"},
	} {
		_, err := with(t, test.key, test.value)
		if faults, ok := errors.AsType[configs.Faults](err); !ok || len(faults) != 1 || faults[0].Right != test.right {
			t.Errorf("%s: %s: got %v, want %q", test.key, test.value, err, test.right)
		}
	}
	if s, err := with(t, "checkout", `"/shop#/pay?reservation={reservation}"`); err != nil {
		t.Errorf("an address that the shop's script reads: got %v, %v", s, err)
	}
}

package configs_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/parser"
	"github.com/waitroom/waitroom/configs"
)

// broken are files as people break them who do not write such files every day: what was
// done to the good file, the name that it has beside silver-toy.yaml, and whether its
// fault is one key's form, which editors see, too.
var broken = []struct {
	name, done, file string
	form             bool
}{
	{"missing-colon", "The colon is forgotten.", "golden-toy.yaml", false},
	{"equals-sign", "An equals sign in place of the colon.", "golden-toy.yaml", false},
	{"no-space", "No space behind the colon.", "golden-toy.yaml", false},
	{"tab-indent", "A line begins with a tab.", "golden-toy.yaml", false},
	{"space-indent", "A line begins with a space.", "golden-toy.yaml", false},
	{"unclosed-quote", "A quotation mark is not closed.", "golden-toy.yaml", false},
	{"quote-in-the-middle", "Only a part of the title is in quotation marks.", "golden-toy.yaml", false},
	{"second-colon", "A colon in the title.", "golden-toy.yaml", false},
	{"percent-first", "The title begins with a percent sign.", "golden-toy.yaml", false},
	{"hash-first", "The title begins with #.", "golden-toy.yaml", false},
	{"star-first", "The title is between asterisks.", "golden-toy.yaml", false},
	{"at-first", "The title begins with @.", "golden-toy.yaml", false},
	{"colour-no-quotes", "A colour without quotation marks.", "golden-toy.yaml", false},
	{"unclosed-bracket", "A list is not closed.", "golden-toy.yaml", false},
	{"merge-markers", "Two versions that a program merged.", "golden-toy.yaml", false},
	{"key-twice", "A line is copied and the first one kept.", "golden-toy.yaml", false},
	{"json-commas", "Commas at the ends of lines.", "golden-toy.yaml", false},
	{"utf-16", "The file is saved as UTF-16.", "golden-toy.yaml", false},
	{"latin-1", "The file is saved with an old encoding.", "golden-toy.yaml", false},
	{"word-document", "The file is a document of an office program.", "golden-toy.yaml", false},
	{"empty", "Nothing is in the file.", "golden-toy.yaml", false},
	{"bom", "The file has a byte order mark (no fault).", "golden-toy.yaml", false},
	{"windows-line-ends", "The file is written on Windows (no fault).", "golden-toy.yaml", false},
	{"yml", "The file is called golden-toy.yml.", "golden-toy.yml", false},
	{"txt", "The file is called golden-toy.yaml.txt.", "golden-toy.yaml.txt", false},
	{"german-keys", "Keys in another language.", "golden-toy.yaml", false},
	{"other-words", "Other words for the keys.", "golden-toy.yaml", false},
	{"plural", "A key in the plural, one with a capital, one with a hyphen.", "golden-toy.yaml", false},
	{"no-timezone", "No time zone.", "golden-toy.yaml", false},
	{"no-checkout", "No checkout, no stock.", "golden-toy.yaml", false},
	{"zone-city", "A city alone.", "golden-toy.yaml", true},
	{"zone-short", "An abbreviation.", "golden-toy.yaml", true},
	{"zone-country", "A country.", "golden-toy.yaml", true},
	{"zone-offset", "A distance to UTC.", "golden-toy.yaml", true},
	{"zone-spelling", "A city that is misspelt.", "golden-toy.yaml", false},
	{"date-past", "A date in the past (no fault, but a warning).", "golden-toy.yaml", false},
	{"date-impossible", "A day that there is not.", "golden-toy.yaml", false},
	{"date-german", "Day, month and year with points.", "golden-toy.yaml", true},
	{"date-german-impossible", "The same, of a day that there is not.", "golden-toy.yaml", true},
	{"date-slashes", "A date that may be of March or of April.", "golden-toy.yaml", true},
	{"date-american", "A date as in America.", "golden-toy.yaml", true},
	{"date-words", "A date in words.", "golden-toy.yaml", true},
	{"date-no-year", "A date without its year.", "golden-toy.yaml", true},
	{"date-alone", "A date without an hour.", "golden-toy.yaml", true},
	{"hour-alone", "An hour without a date.", "golden-toy.yaml", true},
	{"hour-am", "An hour with am.", "golden-toy.yaml", true},
	{"hour-pm", "An hour with pm.", "golden-toy.yaml", true},
	{"hour-point", "An hour with a point.", "golden-toy.yaml", true},
	{"hour-uhr", "An hour in German.", "golden-toy.yaml", true},
	{"hour-zone", "A time zone behind the hour.", "golden-toy.yaml", true},
	{"hour-24", "24 o’clock.", "golden-toy.yaml", false},
	{"smart-dash", "Dashes of a text program.", "golden-toy.yaml", true},
	{"no-break-space", "A space that is not one.", "golden-toy.yaml", true},
	{"no-break-space-key", "The same behind the colon.", "golden-toy.yaml", false},
	{"closes-first", "It closes before it opens.", "golden-toy.yaml", false},
	{"doors-late", "The doors open after the sale.", "golden-toy.yaml", false},
	{"doors-far", "The doors open three months before.", "golden-toy.yaml", false},
	{"repeat-each", "Each Thursday, with pm.", "golden-toy.yaml", true},
	{"repeat-plural", "Thursdays.", "golden-toy.yaml", true},
	{"repeat-german", "Every Thursday in German.", "golden-toy.yaml", true},
	{"repeat-daily", "Daily.", "golden-toy.yaml", true},
	{"repeat-and-dates", "A repetition, and dates.", "golden-toy.yaml", true},
	{"stock-words", "A number in words.", "golden-toy.yaml", true},
	{"stock-unit", "A number with its unit.", "golden-toy.yaml", true},
	{"stock-comma", "A comma between thousands.", "golden-toy.yaml", true},
	{"stock-point", "A point between thousands.", "golden-toy.yaml", false},
	{"stock-zero", "No stock.", "golden-toy.yaml", true},
	{"stock-quotes", "A number in the quotation marks of a text program.", "golden-toy.yaml", true},
	{"per-account-above", "More for each than there are.", "golden-toy.yaml", false},
	{"admit-comma", "A comma in a rate.", "golden-toy.yaml", true},
	{"admit-bare", "A rate without its unit.", "golden-toy.yaml", true},
	{"admit-words", "A rate in words.", "golden-toy.yaml", true},
	{"admit-long", "A rate with a long unit.", "golden-toy.yaml", true},
	{"admit-too-fast", "A rate beyond all bounds.", "golden-toy.yaml", false},
	{"hold-bare", "A time to pay without its unit.", "golden-toy.yaml", true},
	{"hold-words", "A time to pay in words.", "golden-toy.yaml", true},
	{"hold-long", "A time to pay in hours and a half.", "golden-toy.yaml", true},
	{"yes", "Yes in place of true.", "golden-toy.yaml", true},
	{"price-euro", "A price with a comma and a sign.", "golden-toy.yaml", true},
	{"price-dollar", "A price in dollars.", "golden-toy.yaml", true},
	{"price-no-currency", "A price without currency.", "golden-toy.yaml", true},
	{"price-whole", "A price with a dash for its cents.", "golden-toy.yaml", true},
	{"page-url", "A whole address as product page.", "golden-toy.yaml", true},
	{"page-no-slash", "The first slash is forgotten.", "golden-toy.yaml", true},
	{"page-percent", "An escaped character.", "golden-toy.yaml", true},
	{"page-query", "A page with a query.", "golden-toy.yaml", true},
	{"page-www", "An address without https.", "golden-toy.yaml", true},
	{"buy-no-method", "The method is forgotten.", "golden-toy.yaml", true},
	{"buy-get", "A method that does not buy.", "golden-toy.yaml", true},
	{"buy-url", "A whole address to buy.", "golden-toy.yaml", true},
	{"checkout-bare", "The placeholder is forgotten.", "golden-toy.yaml", true},
	{"checkout-other", "Another placeholder.", "golden-toy.yaml", true},
	{"name-spaces", "A name with spaces and capitals.", "golden-toy.yaml", true},
	{"name-umlaut", "A name with an umlaut.", "golden-toy.yaml", true},
	{"same-name", "A copied file with the old name.", "golden-toy.yaml", false},
	{"same-path", "Two sales on one page at the same time.", "golden-toy.yaml", false},
	{"language-names", "Names of languages.", "golden-toy.yaml", true},
	{"language-one", "One language, without brackets.", "golden-toy.yaml", true},
	{"logo-missing", "A logo that is not there.", "golden-toy.yaml", false},
	{"logo-jpeg", "A logo of the wrong kind.", "golden-toy.yaml", true},
	{"colour-name", "The name of a colour.", "golden-toy.yaml", true},
}

// TestBroken: what each file is told. The messages lie beside the files, and all of it is
// docs/faults-in-sale-files.md, which is written anew with:
// go test ./configs -run TestBroken -update
func TestBroken(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	page.WriteString(brokenIntroduction)
	for _, b := range broken {
		text, err := os.ReadFile(filepath.Join("testdata/broken", b.name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		got, golden := told(t, b.file, text), filepath.Join("testdata/broken", b.name+".txt")
		fmt.Fprintf(&page, "\n## %s\n%s%s", strings.TrimSuffix(b.done, "."), fenced(changedLines(t, text)), fenced(got))
		for _, jargon := range []string{"mapping", "token", "sequence", "flow", "scalar", "anchor", "unexpected", "invalid", "parse", "syntax", "YAML", "context", "string"} {
			if strings.Contains(got, jargon) {
				t.Errorf("%s: says %q:\n%s", b.name, jargon, got)
			}
		}
		if *update {
			write(t, golden, got)
			continue
		}
		if want, err := os.ReadFile(golden); err != nil || got != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", b.name, got, want)
		}
	}
	const file = "../docs/faults-in-sale-files.md"
	if *update {
		write(t, file, page.String())
	} else if want, err := os.ReadFile(file); err != nil || string(want) != page.String() {
		t.Errorf("%s is old: go test ./configs -run TestBroken -update", file)
	}
	if files, _ := filepath.Glob("testdata/broken/*.yaml"); len(files) != len(broken) {
		t.Errorf("got %d files, want %d", len(files), len(broken))
	}
}

const brokenIntroduction = `# Faults in sale files

What people write who do not write such files every day, and what they are told. The
first block of each is what was changed in [a good file](../configs/testdata/sales/golden-toy.yaml),
the second is what ` + "`waitroom check`" + ` says. The numbers behind the file's name are the
line and the column; ` + "`^`" + ` stands under the place. This page is written by a test, so it says
what the program says.
`

// told is what a file is told that lies beside another sale, or what it means.
func told(t *testing.T, name string, text []byte) string {
	t.Helper()
	neighbour, err := os.ReadFile("testdata/sales/silver-toy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := folder(t, smallOperator, map[string]string{"silver-toy.yaml": string(neighbour), name: string(text)})
	c, err := configs.Load(file, environment, now)
	var said string
	switch faults, ok := errors.AsType[configs.Faults](err); {
	case ok:
		said = faults.Error()
	case err != nil:
		t.Fatal(err)
	case len(c.Unread()) > 0:
		said = c.Unread().Error()
	default:
		i := slices.IndexFunc(c.Sales, func(s configs.Sale) bool { return s.ID == "golden-toy" })
		said, _, _ = strings.Cut(c.Sales[i].Summary(now, nil), "\n")
	}
	return strings.ReplaceAll(said, filepath.Dir(file)+string(filepath.Separator), "") + "\n"
}

// changedLines are those of a file that the good one does not have.
func changedLines(t *testing.T, text []byte) string {
	t.Helper()
	good, err := os.ReadFile("testdata/sales/golden-toy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(text, 0) || strings.Contains(string(text), "\r") {
		return ""
	}
	known := strings.Split(string(good), "\n")
	var changed []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if line = strings.TrimPrefix(strings.ToValidUTF8(line, "?"), "\ufeff"); line != "" && !slices.Contains(known, line) {
			changed = append(changed, line)
		}
	}
	return strings.Join(changed, "\n")
}

func fenced(text string) string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return ""
	}
	return "\n```\n" + text + "\n```\n"
}

// TestBroken_Schema: of one key's form an editor says it too, and of a good file nothing.
func TestBroken_Schema(t *testing.T) {
	t.Parallel()
	schema := compiled(t, configs.KindSale)
	for _, name := range []string{"golden-toy", "silver-toy"} {
		text, err := os.ReadFile(filepath.Join("testdata/sales", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(seen(t, string(text))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, b := range broken {
		text, err := os.ReadFile(filepath.Join("testdata/broken", b.name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.ParseBytes(text, 0); !b.form || err != nil {
			if b.form {
				t.Errorf("%s: cannot be read at all: %v", b.name, err)
			}
			continue
		}
		if schema.Validate(seen(t, string(text))) == nil {
			t.Errorf("%s: the schema takes it", b.name)
		}
	}
}

package static

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// table gives the cells of a page's tables under a heading, row by row.
func table(t *testing.T, file, heading string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("../docs/" + file)
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(text), heading)
	if !ok {
		t.Fatalf("%s has no %q", file, heading)
	}
	for line := range strings.Lines(after) {
		if strings.HasPrefix(line, "|") {
			rows = append(rows, strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"))
		} else if rows != nil {
			return rows
		}
	}
	return rows
}

var valueName = regexp.MustCompile(`\.([A-Z][A-Za-z]*)`)

// TestValuesAreDocumented: docs/branding.md has every value that our own templates use, and
// none that there is not.
func TestValuesAreDocumented(t *testing.T) {
	t.Parallel()
	documented := map[string]bool{}
	for _, row := range table(t, "branding.md", "What there is:") {
		for _, code := range regexp.MustCompile("`[^`]*`").FindAllString(strings.Join(row, "|"), -1) {
			for _, name := range valueName.FindAllStringSubmatch(code, -1) {
				documented[name[1]] = true
			}
		}
	}
	for _, name := range []string{"page.html", "view.html"} {
		for _, action := range actionForm.FindAllString(Templates()[name], -1) {
			for _, value := range valueName.FindAllStringSubmatch(action, -1) {
				if !documented[value[1]] {
					t.Errorf("%s uses .%s, which docs/branding.md does not have", name, value[1])
				}
			}
		}
	}
	var there []string
	for _, of := range []any{document{}, figure{}, action{}, fact{}, Field{}, Moment{}, catalog{}} {
		kind := reflect.TypeOf(of)
		for _, field := range reflect.VisibleFields(kind) {
			there = append(there, field.Name)
		}
		for i := range kind.NumMethod() {
			there = append(there, kind.Method(i).Name)
		}
	}
	for name := range documented {
		if !slices.Contains(there, name) {
			t.Errorf("docs/branding.md has .%s, which there is not", name)
		}
	}
}

// TestLanguagesAreDocumented: docs/languages.md has the languages that there are.
func TestLanguagesAreDocumented(t *testing.T) {
	t.Parallel()
	var documented []string
	for _, row := range table(t, "languages.md", "# Languages") {
		for _, cell := range row {
			if tag := strings.TrimSpace(cell); strings.HasPrefix(tag, "`") {
				documented = append(documented, strings.Trim(tag, "`"))
			}
		}
	}
	slices.Sort(documented)
	if there := slices.Sorted(slices.Values(Languages())); !slices.Equal(documented, there) {
		t.Errorf("docs/languages.md has %v, there are %v", documented, there)
	}
}

package configs

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

const (
	maxLinks    = 5
	maxTexts    = 1000 // names of texts, over all languages
	maxText     = 1000 // characters
	maxLogo     = 64 << 10
	maxTemplate = 256 << 10
)

// brandRules are the keys of a brand. What can only be judged on a page, as whether a
// colour can be read there, is judged where pages are made.
func brandRules() []rule[Brand] {
	return []rule[Brand]{
		may("colour", hue, func(b *Brand) *string { return &b.Colour }),
		may("dark_colour", hue, func(b *Brand) *string { return &b.DarkColour }),
		other("logo", shape{Type: "string", Pattern: `\.([sS][vV][gG]|[pP][nN][gG]|[wW][eE][bB][pP])$`, ErrorMessage: "name a picture beside this file: SVG, PNG or WebP"},
			func(b *Brand, v value) { b.Logo = logo(v) }),
		may("logo_text", phrase(200), func(b *Brand) *string { return &b.LogoText }),
		other("texts", textsShape, func(b *Brand, v value) { b.Texts = texts(v) }),
		capped(maxLinks, groups("links", "[{text: Help, to: /help}]", linkRules(), func(b *Brand) *[]Link { return &b.Links })),
		other("templates", shape{Type: "string"}, func(b *Brand, v value) { b.Templates = templates(v) }),
	}
}

var (
	hue        = written(colour, colourForm, `write # and six digits in quotes, as "#8a6508"`)
	textsShape = shape{Type: "object", PropertyNames: &shape{Pattern: `^[A-Za-z0-9_.-]{1,60}$`}, AdditionalProperties: anyOf(
		phrase(maxText).shape,
		shape{Type: "object", PropertyNames: &shape{Pattern: textName.String()}, AdditionalProperties: phrase(maxText).shape},
	)}
)

func linkRules() []rule[Link] {
	return []rule[Link]{
		must("text", "write what shoppers read, as Help", phrase(60), func(l *Link) *string { return &l.Text }),
		other("texts", linkTexts, func(l *Link, v value) { l.Texts = byLanguage(v) }),
		must("to", "write where it leads, as /help", form[string]{linkTarget, shape{Type: "string", Pattern: `^(/|https://)\S*$`}, nil}, func(l *Link) *string { return &l.To }),
	}
}

var linkTexts = shape{Type: "object", PropertyNames: &shape{Pattern: tagForm.String()}, AdditionalProperties: phrase(60).shape}

// byLanguage reads what a link says in languages, by their tags.
func byLanguage(v value) map[string]string {
	texts := map[string]string{}
	for tag, entry := range v.named() {
		if _, c := languageTag(tag); c != nil {
			entry.fault(c)
			continue
		}
		texts[tag] = read(entry, words(60))
	}
	return texts
}

// branded are the keys brand and languages of a file.
func branded[T any](brand func(*T) **Brand, languages func(*T) *[]string) []rule[T] {
	look := group("brand", func(t *T) *Brand { *brand(t) = &Brand{}; return *brand(t) }, brandRules())
	decoded := look.read
	look.read = func(t *T, v value) {
		decoded(t, v)
		brandChecks(v)
	}
	tags := listOf(shape{Type: "string", Pattern: tagForm.String(), ErrorMessage: "write its short name, as en, de or zh-Hant"})
	tags.MinItems, tags.MaxItems = 1, maxLanguages
	return []rule[T]{
		other("languages", tags, func(t *T, v value) { *languages(t) = languageTags(v) }),
		look,
	}
}

// capped bounds a list.
func capped[T any](most int, r rule[T]) rule[T] {
	all, one := r.read, r.shape
	r.read = func(t *T, v value) {
		if list, ok := v.node.(*ast.SequenceNode); ok && len(list.Values) > most {
			v.fault(complain("%d of them", len(list.Values)).advise(fmt.Sprintf("at most %d: keep those that matter most", most)))
			return
		}
		all(t, v)
	}
	r.shape = func(t *T) shape {
		s := one(t)
		s.MaxItems = most
		return s
	}
	return r
}

// brandChecks: a picture that says nothing is nothing to who cannot see it.
func brandChecks(v value) {
	has := func(key string) bool { return v.doc.has(join(v.key, key)) }
	switch {
	case has("logo") && !has("logo_text"):
		v.doc.blame(join(v.key, "logo_text"), "missing", "write what the logo says, as Toy House, for who cannot see it")
	case has("logo_text") && !has("logo"):
		v.doc.blame(join(v.key, "logo_text"), "without logo", "name the picture, or leave this out")
	}
}

var (
	colourForm = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)
	shortForm  = regexp.MustCompile(`^#?([0-9A-Fa-f])([0-9A-Fa-f])([0-9A-Fa-f])$`)
	bareForm   = regexp.MustCompile(`^[0-9A-Fa-f]{6}$`)
	mixedForm  = regexp.MustCompile(`^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$`)
)

// colourNames are what people write in place of a colour: a shade of it that can be read
// on a white page.
var colourNames = map[string]string{
	"black": "#000000", "red": "#b3261e", "green": "#1b7a3d", "blue": "#1a5fb4", "yellow": "#8a6508", "gold": "#8a6508", "orange": "#a84b00",
	"purple": "#7b2d8e", "pink": "#b0256f", "brown": "#6f4518", "grey": "#5e5c64", "gray": "#5e5c64", "silver": "#5e5c64", "navy": "#000080", "teal": "#00696b",
	"rot": "#b3261e", "grün": "#1b7a3d", "blau": "#1a5fb4", "gelb": "#8a6508", "schwarz": "#000000",
}

// colour reads #rrggbb.
func colour(text string) (string, *complaint) {
	if colourForm.MatchString(text) {
		return strings.ToLower(text), nil
	}
	wrong := complain("%q is not a colour", text)
	if p := shortForm.FindStringSubmatch(text); p != nil {
		return "", wrong.advise(strings.ToLower(fmt.Sprintf(`write "#%[1]s%[1]s%[2]s%[2]s%[3]s%[3]s"`, p[1], p[2], p[3])))
	}
	if bareForm.MatchString(text) {
		return "", wrong.advise(strings.ToLower(`write "#` + text + `"`))
	}
	if p := mixedForm.FindStringSubmatch(text); p != nil {
		var rgb [3]int
		for i := range rgb {
			n, _ := strconv.Atoi(p[i+1]) // digits alone
			rgb[i] = min(n, 255)
		}
		return "", wrong.advise(fmt.Sprintf(`write "#%02x%02x%02x"`, rgb[0], rgb[1], rgb[2]))
	}
	if meant := colourNames[strings.ToLower(text)]; meant != "" {
		return "", wrong.advise(`write "` + meant + `", or another with # and six digits in quotes`)
	}
	return "", wrong.advise(`write # and six digits in quotes, as "#8a6508"`)
}

// textName is the name of one of the texts of the pages, by its form.
var textName = regexp.MustCompile(`^[a-z0-9_.]{1,60}$`)

// texts reads texts by name, and groups of them by language.
func texts(v value) map[string]map[string]string {
	all := map[string]map[string]string{}
	count := 0
	put := func(language string, entry value) {
		name := strings.TrimPrefix(entry.key, v.key+".")
		if language != "" {
			name = strings.TrimPrefix(name, language+".")
		}
		if count++; count == maxTexts+1 {
			entry.fault(complain("more than %d texts", maxTexts).advise("leave out those that say the same as waitroom's own"))
		}
		if !textName.MatchString(name) {
			entry.fault(complain("%q is not the name of a text", name).advise("write a name as waiting.lead"))
			return
		}
		if all[language] == nil {
			all[language] = map[string]string{}
		}
		all[language][name] = read(entry, words(maxText))
	}
	for name, entry := range v.named() {
		if _, group := entry.node.(*ast.MappingNode); !group {
			put("", entry)
			continue
		}
		if _, c := languageTag(name); c != nil {
			entry.fault(c)
			continue
		}
		for _, inner := range entry.named() {
			put(name, inner)
		}
	}
	return all
}

// linkTarget reads a path of the shop, with query and fragment if any, or an https URL.
func linkTarget(text string) (string, *complaint) {
	const right = "write a path as /help, or a whole address as https://www.example.com/help"
	u, err := url.Parse(text)
	switch {
	case err != nil || strings.ContainsAny(text, " \\<>\"") || len(text) > 2000:
	case strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//"):
		return text, nil
	case u.Scheme == "https" && u.Hostname() != "" && u.User == nil && !badPort(u):
		return text, nil
	case u.Scheme == "http" && u.Hostname() != "":
		return "", complain("%q is not safe: anybody on the way can change what it shows", text).advise("write https:" + strings.TrimPrefix(text, "http:"))
	case u.Scheme == "" && strings.Contains(text, "."):
		if _, c := domain(strings.SplitN(text, "/", 2)[0]); c == nil {
			return "", complain("%q is neither a path nor a whole address", text).advise("write https://" + text)
		}
	}
	return "", complain("%q is not a link", text).advise(right)
}

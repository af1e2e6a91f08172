package configs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const maxLanguages = 40

// tagForm is a language tag of BCP 47 as far as pages are told apart by it: a language,
// and a script or a region if need be.
var tagForm = regexp.MustCompile(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`)

// languageTags reads a list of languages, each once.
func languageTags(v value) []string {
	const example = "[en, de]"
	items := v.list(example)
	switch n := len(items); {
	case n == 0 && kind(v.node) == "a list":
		v.fault(complain("an empty list").advise("write one as " + example + ", or leave it out"))
	case n > maxLanguages:
		v.fault(complain("%d languages", n).advise(fmt.Sprintf("at most %d", maxLanguages)))
	}
	var all []string
	for _, item := range items {
		v.doc.places[item.key] = placeOf(item.node.GetToken()) // whether pages are in it is found out elsewhere
		tag := read(item, languageTag)
		switch {
		case tag == "": // a fault already
		case slices.Contains(all, tag):
			item.fault(complain("%q again", tag).advise("write each once"))
		default:
			all = append(all, tag)
		}
	}
	return all
}

// spokenNames are what people write in place of a tag.
var spokenNames = map[string]string{
	"english": "en", "german": "de", "deutsch": "de", "french": "fr", "français": "fr", "francais": "fr",
	"spanish": "es", "español": "es", "espanol": "es", "portuguese": "pt", "português": "pt", "italian": "it", "italiano": "it",
	"dutch": "nl", "nederlands": "nl", "polish": "pl", "polski": "pl", "turkish": "tr", "türkçe": "tr", "vietnamese": "vi",
	"japanese": "ja", "korean": "ko", "chinese": "zh-Hans", "simplified chinese": "zh-Hans", "traditional chinese": "zh-Hant",
	"arabic": "ar", "hindi": "hi", "gb": "en", "us": "en", "jp": "ja", "kr": "ko", "cn": "zh-Hans", "tw": "zh-Hant", "zh": "zh-Hans", "zh-cn": "zh-Hans", "zh-tw": "zh-Hant", "zh-hk": "zh-Hant",
}

// languageTag reads a tag in its usual writing.
func languageTag(text string) (string, *complaint) {
	if tagForm.MatchString(text) && spokenNames[strings.ToLower(text)] == "" {
		return text, nil
	}
	wrong := complain("%q is not a language", text)
	if meant := spokenNames[strings.ToLower(text)]; meant != "" {
		return "", wrong.advise("write " + meant)
	}
	if meant := usualTag(text); tagForm.MatchString(meant) {
		return "", wrong.advise("write " + meant)
	}
	return "", wrong.advise("write its short name, as en, de or zh-Hant")
}

// usualTag writes a tag as it is usual: zh_hant becomes zh-Hant, DE becomes de.
func usualTag(text string) string {
	parts := strings.Split(strings.ToLower(strings.ReplaceAll(text, "_", "-")), "-")
	for i, part := range parts[1:] {
		switch len(part) {
		case 2:
			parts[i+1] = strings.ToUpper(part)
		case 4:
			parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "-")
}

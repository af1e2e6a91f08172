package configs

import (
	"maps"
	"path/filepath"
	"slices"
)

// Brand is what pages look like and say in place of waitroom's own: a shop's, or of
// one sale or room. What is empty, absent or nil is waitroom's own.
type Brand struct {
	Colour     string     // of buttons and figures, #rrggbb in lower case
	DarkColour string     // the same where the reader's device is dark; empty: derived
	Logo       *BrandFile // nil: none
	LogoText   string     // what the logo says, for who cannot see it
	// Texts are by language, "" for all of them, and by name.
	Texts     map[string]map[string]string
	Links     []Link            // at the foot of each page, at most 5
	Templates map[string]string // page.html, view.html, page.css: what they hold
}

// BrandFile is a file that a brand names, as it was when the configuration was read.
type BrandFile struct {
	Name string // without its folder
	Data []byte
}

// Link leads from a page to another one, by its path or its https URL.
type Link struct {
	Text, To string
	Texts    map[string]string // in other languages than Text is in, by language
}

// over is a brand with what it leaves open taken from another one. Texts are taken one
// by one; what belongs together is taken together: a dark colour goes with its colour,
// and a logo's text with its logo.
func (b *Brand) over(house *Brand) *Brand {
	if b == nil || house == nil {
		return firstOf(b, house)
	}
	all := *b
	if b.Colour == "" {
		all.Colour = house.Colour
		if b.DarkColour == "" {
			all.DarkColour = house.DarkColour
		}
	}
	if b.Logo == nil {
		all.Logo, all.LogoText = house.Logo, house.LogoText
	}
	if b.Links == nil {
		all.Links = house.Links
	}
	if b.Templates == nil {
		all.Templates = house.Templates
	}
	all.Texts = textsOver(b.Texts, house.Texts)
	return &all
}

func firstOf(a, b *Brand) *Brand {
	if a != nil {
		return a
	}
	return b
}

// textsOver puts texts before those of the house: one for all languages before the
// house's one for a single language, too.
func textsOver(own, house map[string]map[string]string) map[string]map[string]string {
	if house == nil {
		return own
	}
	all := map[string]map[string]string{}
	for language, texts := range house {
		all[language] = maps.Clone(texts)
		maps.DeleteFunc(all[language], func(name, _ string) bool { return own[""][name] != "" })
	}
	for language, texts := range own {
		if all[language] == nil {
			all[language] = map[string]string{}
		}
		maps.Copy(all[language], texts)
	}
	return all
}

// inherit gives a sale or a room what it does not say itself and the house does.
func inherit(brand **Brand, languages *[]string, house *Config) {
	*brand = (*brand).over(house.Brand)
	if *languages == nil {
		*languages = slices.Clone(house.Languages)
	}
}

// A companion is a file that another one names and that is read with it: what it was
// then is part of the configuration.
type companion struct {
	name string
	held digest
}

// keep makes a companion's content part of what a key says.
func (v value) keep(name string, data []byte) {
	c := companion{name, digestOf(name + "\x00" + string(data))}
	v.doc.companions = append(v.doc.companions, c)
	said := v.doc.saying[v.key]
	v.doc.saying[v.key] = digestOf(string(said[:]) + string(c.held[:]))
}

// contents is a digest of all that was read for a file: itself and its companions.
func (d *document) contents() []byte {
	all := digestOf(d.name + "\x00" + string(d.text))
	sum := all[:]
	for _, c := range d.companions {
		sum = append(sum, c.held[:]...)
	}
	return sum
}

// folders are where the companions lie.
func (d *document) folders() (dirs []string) {
	if d == nil { // not read from a file
		return nil
	}
	for _, c := range d.companions {
		dirs = append(dirs, filepath.Dir(c.name))
		if target, err := filepath.EvalSymlinks(c.name); err == nil {
			dirs = append(dirs, filepath.Dir(target))
		}
	}
	return dirs
}

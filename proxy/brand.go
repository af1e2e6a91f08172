package proxy

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/static"
)

// branded is what can have a look of its own: a configuration, a sale, a room.
type branded interface {
	Fault(key, wrong, right string) configs.Fault
}

// NewBrand makes a brand ready for the pages that it is for, which are in some languages;
// nil where there is none. The error is [configs.Faults]: all that pages cannot do with
// it, each with its place in the files.
func NewBrand(of branded, b *configs.Brand, languages []string) (*static.Brand, error) {
	brand, err := static.NewBrand(lookOf(b, languages))
	if wrong, ok := errors.AsType[static.Faults](err); ok {
		var faults configs.Faults
		for _, f := range wrong {
			faults = append(faults, of.Fault(f.Key, f.Wrong, f.Right))
		}
		return nil, faults
	}
	if b == nil {
		return nil, err
	}
	return brand, err
}

func lookOf(b *configs.Brand, languages []string) static.Look {
	if b == nil {
		return static.Look{Languages: languages}
	}
	l := static.Look{
		Colour: b.Colour, DarkColour: b.DarkColour, LogoText: b.LogoText,
		Texts: b.Texts, Templates: b.Templates, Languages: languages,
	}
	if b.Logo != nil {
		l.Logo = b.Logo.Data
	}
	for _, link := range b.Links {
		l.Links = append(l.Links, static.Link(link))
	}
	return l
}

// brands are those of one configuration, each made once: to try a brand on every page
// takes a while, and a reload seldom changes one.
type brands struct {
	house        *static.Brand            // of the pages of no sale
	sales, rooms map[string]*static.Brand // by ID
	made         []madeBrand
}

// madeBrand is a brand with what it was made from.
type madeBrand struct {
	brand     *configs.Brand
	languages []string
	ready     *static.Brand
}

// CheckBrands makes every brand of a configuration for nothing but the faults.
func CheckBrands(cfg *configs.Config) error {
	_, err := newBrands(cfg, nil)
	return err
}

// newBrands makes the brands of a configuration, or takes over those of the last. The
// error is [configs.Faults].
func newBrands(cfg *configs.Config, last *brands) (*brands, error) {
	all := &brands{sales: map[string]*static.Brand{}, rooms: map[string]*static.Brand{}}
	faults := titles(cfg)
	get := func(of branded, b *configs.Brand, languages []string) *static.Brand {
		ready, wrong := all.get(last, of, b, languages)
		for _, f := range wrong {
			if !slices.Contains(faults, f) { // of the operator's file, it is one of each sale
				faults = append(faults, f)
			}
		}
		return ready
	}
	all.house = get(cfg, cfg.Brand, cfg.Languages)
	for i := range cfg.Sales {
		s := &cfg.Sales[i]
		all.sales[s.ID] = get(s, s.Brand, s.Languages)
	}
	for i := range cfg.Rooms {
		r := &cfg.Rooms[i]
		all.rooms[r.ID] = get(r, r.Brand, r.Languages)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return all, nil
}

func (all *brands) get(last *brands, of branded, b *configs.Brand, languages []string) (*static.Brand, configs.Faults) {
	known := all.made
	if last != nil {
		known = append(slices.Clone(known), last.made...)
	}
	for _, one := range known {
		if slices.Equal(one.languages, languages) && reflect.DeepEqual(one.brand, b) {
			all.made = append(all.made, one)
			return one.ready, nil
		}
	}
	ready, err := NewBrand(of, b, languages)
	if faults, ok := errors.AsType[configs.Faults](err); ok {
		return nil, faults
	}
	all.made = append(all.made, madeBrand{b, languages, ready})
	return ready, nil
}

// titles finds in the operator's file what a sale is called: it would be that of every
// sale.
func titles(cfg *configs.Config) (faults configs.Faults) {
	if cfg.Brand == nil {
		return nil
	}
	for _, language := range slices.Sorted(maps.Keys(cfg.Brand.Texts)) {
		if cfg.Brand.Texts[language]["title"] == "" {
			continue
		}
		key := "brand.texts.title"
		if language != "" {
			key = fmt.Sprintf("brand.texts.%s.title", language)
		}
		faults = append(faults, cfg.Fault(key, "would be the title of every sale", "write it in the sale's own file"))
	}
	return faults
}

// wore are the brands of a house; nil of none.
func (h *house) wore() *brands {
	if h == nil {
		return nil
	}
	return h.brands
}

package proxy

import (
	"reflect"
	"slices"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/static"
)

// branded is what can have a look of its own: a configuration, a sale, a room.
type branded interface {
	Fault(key, wrong, right string) configs.Fault
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

// Brands are those of one configuration, each made once: to try a brand on every page
// takes a while, and a reload seldom changes one. A nil brand is waitroom's own look.
type Brands struct {
	House        *static.Brand            // of the pages of no sale
	Sales, Rooms map[string]*static.Brand // by ID
	made         []madeBrand
}

// madeBrand is a brand with what it was made from.
type madeBrand struct {
	brand     *configs.Brand
	languages []string
	ready     *static.Brand
}

// NewBrands makes the brands of a configuration ready for their pages, or takes over those
// of the last one, if any. The error is [configs.Faults]: all that pages cannot do with
// them, each with its place in the files.
func NewBrands(cfg *configs.Config, last *Brands) (*Brands, error) {
	all := &Brands{Sales: map[string]*static.Brand{}, Rooms: map[string]*static.Brand{}}
	var faults configs.Faults
	ready := func(of branded, b *configs.Brand, languages []string) *static.Brand {
		brand, wrong := all.ready(last, b, languages)
		for _, w := range wrong {
			if f := of.Fault(w.Key, w.Wrong, w.Right); !slices.Contains(faults, f) { // of the operator's file, it is one of each sale
				faults = append(faults, f)
			}
		}
		return brand
	}
	all.House = ready(cfg, cfg.Brand, cfg.Languages)
	for i := range cfg.Sales {
		s := &cfg.Sales[i]
		all.Sales[s.ID] = ready(s, s.Brand, s.Languages)
	}
	for i := range cfg.Rooms {
		r := &cfg.Rooms[i]
		all.Rooms[r.ID] = ready(r, r.Brand, r.Languages)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return all, nil
}

// ready is a brand that pages in some languages can have; nil where b is.
func (all *Brands) ready(last *Brands, b *configs.Brand, languages []string) (*static.Brand, static.Faults) {
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
	brand, faults := static.NewBrand(lookOf(b, languages))
	if faults != nil {
		return nil, faults
	}
	if b == nil {
		brand = nil // it was for the languages
	}
	all.made = append(all.made, madeBrand{b, languages, brand})
	return brand, nil
}

// wore are the brands of a house; nil of none.
func (h *house) wore() *Brands {
	if h == nil {
		return nil
	}
	return h.brands
}

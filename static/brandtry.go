package static

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"time"
)

// try renders every page by the templates of a look, as different shoppers would see
// it, and holds it to what our own page has.
func (b *Brand) try() (faults Faults) {
	if b.layout == layout {
		return nil
	}
	plan, again := counted(b.layout)
	told := map[string]int{}
	for _, lang := range twoOf(b.look.spoken()) {
		theirs, ours := b.speaking(lang, plan), b.speaking(lang, layout)
		if theirs.err != nil {
			wrong := b.look.inPlainWords(theirs.err)
			faults.add("brand.templates", wrong.what, wrong.right)
			return faults
		}
		for _, p := range Known() {
			for _, v := range tryViews(p) {
				v.Lang, v.Brand = lang, b
				again()
				got, err := execute(plan, newDocument(theirs.catalog, p, v))
				if err != nil {
					wrong := b.look.inPlainWords(err)
					faults.add("brand.templates", wrong.what, wrong.right)
					return faults // the same on the next pages, if not worse
				}
				want, err := execute(layout, newDocument(ours.catalog, p, v))
				if err != nil {
					panic("static: " + err.Error()) // ours always render
				}
				for _, wrong := range compare(markupOf(want), markupOf(got), b) {
					if told[wrong.what]++; told[wrong.what] == 1 {
						faults.add("brand.templates", b.look.placeOf(wrong.near)+fmt.Sprintf("on the page %q, %s", p, wrong.what), wrong.right)
					}
				}
			}
		}
	}
	return faults
}

// twoOf are at most two languages: the first, and one that is read from right to left
// if there is one, or else the last.
func twoOf(tags []string) []string {
	other := tags[len(tags)-1]
	if slices.Contains(tags, "ar") {
		other = "ar"
	}
	return slices.Compact([]string{tags[0], other})
}

// tried is what a view has at most, for the templates to be tried with.
var tried = View{
	Sale: "golden-toy", Title: "Golden toy", Message: "The sale goes on until noon.",
	ProductPage: "/toys/golden", BuyPath: "/toys/golden/buy", Checkout: "/checkout?reservation=0197f0c2", Reservation: "0197f0c2-5f1e-7a3b-9d20-6a0c3f6b1e55",
	Number: math.MaxUint64 / 4, HasNumber: true, Place: math.MaxUint64 / 4, HasPlace: true, Ahead: math.MaxUint64 / 8, Entered: math.MaxUint64 / 2, Drawn: math.MaxUint64 / 2,
	StockLeft: math.MaxInt / 4, StockHeld: math.MaxInt / 4, Odds: "uncertain", Brief: true,
	Low: 2 * time.Minute, High: 4 * time.Minute, Doors: 26 * time.Hour, Opens: 12 * time.Minute, Act: 40 * time.Second, Closes: 5 * time.Minute,
	PayIn: 9 * time.Minute, Retry: 20 * time.Second, Refresh: 10 * time.Second, Mix: "drand round 7", Host: "shop.example.com",
}

// tryViews are different shoppers' views of a page.
func tryViews(p Page) []View {
	bare, room, none := View{Sale: "golden-toy"}, tried, View{}
	room.Room = true
	views := []View{tried, bare}
	if traits[p].Rooms || !traits[p].Common {
		views = append(views, room, none)
	}
	switch p {
	case Turn:
		kept, lost := tried, tried
		kept.Pressed, kept.Kept = true, "size=42&colour=gold"
		lost.Pressed, lost.Lost = true, true
		views = append(views, kept, lost)
	case Prove:
		for _, asked := range []Asked{{Challenge: "a", Bits: 14, Puzzles: 8, Behind: true}, {Challenge: "a", Check: "turnstile", SiteKey: "k"}} {
			v := tried
			v.Asked = asked
			views = append(views, v)
		}
	}
	return views
}

// spoken is a catalog with its views made by a layout, or why there are none.
type spoken struct {
	catalog
	err error
}

func (b *Brand) speaking(tag string, layout *template.Template) spoken {
	c := b.look.over(speaking(tag))
	c.views = map[bool]template.HTML{}
	for _, room := range []bool{false, true} {
		views, err := makeViews(layout, c, room, b)
		if err != nil {
			return spoken{err: err}
		}
		c.views[room] = views
	}
	return spoken{catalog: c}
}

// render is Render of a branded page. Where a template of the shop's own fails after
// all, on a view that was not thought of, the page is shown by ours.
func (b *Brand) render(p Page, v View) ([]byte, error) {
	d := newDocument(b.speaks(v.Lang), p, v)
	page, err := execute(b.layout, d)
	if err != nil && b.layout != layout {
		return execute(layout, d)
	}
	return page, err
}

package static

import (
	"fmt"
	"html/template"
	"time"
)

// blank is the view of what lies ready in a page: every part is there, and what
// belongs to one sale or one shopper is left for the script to fill in.
var blank = View{
	ready: true, Sale: "{sale}", Title: "{sale}", BuyPath: "/", Mix: "-",
	HasNumber: true, HasPlace: true, Place: 1, Ahead: 1, Entered: 1, Drawn: 1, StockLeft: 1, StockHeld: 1, Odds: "uncertain",
	Low: time.Second, High: time.Second, Opens: time.Second,
}

// newViews renders the common views of a language, each as a template element.
// They are the same bytes for every sale, or room, and shopper, so this is done
// once.
func newViews(c catalog, room bool, b *Brand) template.HTML {
	if b != nil && b.layout != layout {
		if views, err := makeViews(b.layout, c, room, b); err == nil {
			return views
		}
	}
	views, err := makeViews(layout, c, room, b)
	if err != nil {
		panic("static: " + err.Error())
	}
	return views
}

// makeViews renders them by a layout.
func makeViews(layout *template.Template, c catalog, room bool, b *Brand) (template.HTML, error) {
	var out bounded
	blank := blank
	blank.Room, blank.Brand = room, b
	for _, p := range Known() {
		if !traits[p].shared(room) {
			continue
		}
		if err := layout.ExecuteTemplate(&out, "ready", newDocument(c, p, blank)); err != nil {
			return "", fmt.Errorf("render the view %q: %w", p, err)
		}
	}
	return template.HTML(out.String()), nil //nolint:gosec // made by templates
}

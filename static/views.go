package static

import (
	"bytes"
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
	var out bytes.Buffer
	layout, blank := layout, blank
	if b != nil {
		layout = b.layout
	}
	blank.Room, blank.Brand = room, b
	for _, p := range Known() {
		if !traits[p].shared(room) {
			continue
		}
		if err := layout.ExecuteTemplate(&out, "ready", newDocument(c, p, blank)); err != nil {
			panic("static: render " + string(p) + ": " + err.Error())
		}
	}
	return template.HTML(out.String())
}

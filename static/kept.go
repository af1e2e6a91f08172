package static

import (
	"bytes"
	"html/template"
	"time"
)

// blank is the view of what lies ready in a page: every part is there, and what
// belongs to one sale or one shopper is left for the script to fill in.
var blank = View{
	Sale: "{sale}", Title: "{sale}", OpensAt: "{opens}", DoorsAt: "{doors}", BuyPath: "/", Mix: "-",
	HasNumber: true, HasPlace: true, Place: 1, Ahead: 1, Entered: 1, StockLeft: 1,
	Low: time.Second, High: time.Second, Opens: time.Second,
}

// newKept renders the common views of a language, each as a template element.
// They are the same bytes for every sale and shopper, so this is done once.
func newKept(c catalog) template.HTML {
	var out bytes.Buffer
	for _, p := range Known() {
		if !traits[p].Common {
			continue
		}
		if err := layout.ExecuteTemplate(&out, "kept", newDocument(c, p, blank)); err != nil {
			panic("static: keep " + string(p) + ": " + err.Error())
		}
	}
	return template.HTML(out.String())
}

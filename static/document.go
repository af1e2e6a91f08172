package static

import (
	"cmp"
	"html/template"
)

// document is a page as the layout draws it: each text chosen and filled.
type document struct {
	Page Page
	trait
	View

	Lang, Dir string
	Name      string // what the sale is called on the page
	TabTitle  string
	Heading   string
	Lead      template.HTML
	Because   string // why the place is where it is
	Alarm     string // said at once, to those who cannot see the page change
	Figure    *figure
	Action    *action
	Facts     []fact
	Next      string // heads the steps
	Steps     []template.HTML

	Shop    string            // where "back to the shop" leads
	Opening string            // when the draw is
	Views   template.HTML     // of a common page: all common ones, ready to be shown
	Again   string            // where the page renews itself; empty: where it is
	Renew   template.HTMLAttr // the same for a browser without script
	Live    template.HTML     // the script's texts
	T       catalog           // the texts that are on every page
}

func newDocument(c catalog, p Page, v View) document {
	d := document{Page: p, trait: traits[p], View: v, T: c}
	d.Lang, d.Dir = c.Tag, c.texts["dir"]
	d.Live = c.element()
	d.Name = cmp.Or(v.Title, c.Text("sale.unnamed"))
	if title := c.texts[saleTitle]; title != "" && !v.ready && v.Sale != "" {
		d.Name = title
	}
	d.Shop = cmp.Or(v.ProductPage, "/")
	d.Opening = c.moment(v.OpensAt, "opens.unnamed")

	fill := holes(d.said()...)
	say := func(name string) string { return fill.Replace(c.of(p, v.Room, name)) }
	tell := d.teller()
	d.TabTitle = cmp.Or(say("title"), fill.Replace(c.texts["live.title"]))
	d.Heading, d.Lead, d.Alarm = say("heading"), tell("lead"), say("alarm")
	if p == Invited && v.Whole != "" {
		d.Lead = tell("ask")
	}
	d.Next = cmp.Or(say("next"), c.Text("next"))
	for i := 1; c.step(p, v.Room, i) != ""; i++ {
		d.Steps = append(d.Steps, tell(c.step(p, v.Room, i)))
	}
	if brief := tell("brief"); d.Brief && brief != "" {
		d.Steps = append(d.Steps, brief)
	}
	d.Because = d.because()
	d.Proves = d.Proves && v.Sale != "" && v.HasNumber && !v.Room // a room draws nothing
	if v.Sale == "" {
		d.Asks = ""
	}
	if d.shared(v.Room) {
		d.Views = c.views[v.Room]
	}
	d.Again = cmp.Or(v.RenewAt, d.again(p))
	d.Renew = renew(v.Refresh, d.Again)
	d.Figure = d.newFigure()
	d.Action = d.newAction()
	d.Facts = d.newFacts()
	return d
}

// because says in one line why the place is where it is.
func (d document) because() string {
	switch {
	case !d.Places || d.Room || !d.HasNumber || d.Drawn == 0:
		return ""
	case d.Behind:
		return d.T.Text("live.why.behind")
	case d.Number >= d.Drawn:
		return d.T.Text("live.why.late")
	case d.HasPlace:
		return d.T.Text("live.why.drawn")
	default:
		return ""
	}
}

// Colour is that of the tab's icon, by which a tab is found among many.
func (d document) Colour() string {
	switch d.Tone {
	case "glad":
		return light.glad.tab()
	case "sorry":
		return light.sorry.tab()
	default:
		return d.Brand.tabColour()
	}
}

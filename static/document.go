package static

import (
	"cmp"
	"fmt"
	"html/template"
	"net/url"
	"time"
)

// document is a page as the layout draws it: each text chosen and filled.
type document struct {
	Page Page
	trait
	View

	Lang, Dir     string
	Name          string // what the sale is called on the page
	TabTitle      string
	Heading, Lead string
	Alarm         string // said at once, to those who cannot see the page change
	Figure        *figure
	Action        *action
	Facts         []fact
	Next          string // heads the steps
	Steps         []string
	Keeps         bool // whether there is a place or a turn to keep

	Again string            // where the page renews itself; empty: where it is
	Renew template.HTMLAttr // the same for a browser without script
	Live  string            // the script's texts
	T     catalog           // the texts that are on every page
}

// figure is the one large value of a page.
type figure struct {
	Kind, Value, Label string
	Seconds            int64  // of a countdown
	Gone, Of           uint64 // how far the line has come towards the shopper
}

// action is the one thing to do: a link, or the buy form.
type action struct{ Kind, Label, Address, Method string }

type fact struct{ Kind, Label, Value string }

func newDocument(c catalog, p Page, v View) document {
	d := document{Page: p, trait: traits[p], View: v, T: c}
	d.Lang, d.Dir = c.tag.String(), c.texts["dir"]
	d.Live = c.under("live.")
	d.Name = cmp.Or(v.Title, c.Text("sale.unnamed"))

	holes := []string{
		"sale", d.Name,
		"n", c.number(v.Ahead),
		"opens", cmp.Or(v.OpensAt, c.Text("opens.unnamed")),
		"doors", cmp.Or(v.DoorsAt, c.Text("doors.unnamed")),
	}
	say := func(name string) string { return c.Text(string(p)+"."+name, holes...) }
	d.TabTitle = cmp.Or(say("title"), c.Text("live.title", holes...))
	d.Heading, d.Lead, d.Alarm = say("heading"), say("lead"), say("alarm")
	d.Next = cmp.Or(say("next"), c.Text("next"))
	for i := 1; say(fmt.Sprint("step.", i)) != ""; i++ {
		d.Steps = append(d.Steps, say(fmt.Sprint("step.", i)))
	}

	d.Keeps = p == Lottery || p == Waiting || p == AllHeld || p == Paused
	d.Again = d.again()
	d.Renew = renew(v.Refresh, d.Again)
	d.Figure = d.newFigure()
	d.Action = d.newAction()
	for _, kind := range d.facts {
		if value := d.fact(kind); value != "" {
			d.Facts = append(d.Facts, fact{kind, c.Text("fact." + kind), value})
		}
	}
	return d
}

// Colour is that of the tab's icon, by which a tab is found among many.
func (d document) Colour() string {
	return map[string]string{"calm": "2f5d8a", "glad": "1f7a4d", "sorry": "8a5a3c"}[d.Tone]
}

// RefreshSeconds is for the script of a page that asks for nothing.
func (d document) RefreshSeconds() int64 { return seconds(d.Refresh) }

// again is where a page renews itself. What may answer a posted form goes to
// the line, or a reload would post once more.
func (d document) again() string {
	if d.Sale == "" || d.BuyPath == "" {
		return ""
	}
	return "/.waitroom/" + url.PathEscape(d.Sale) + "/line"
}

// renew is the content attribute of a meta refresh, which html/template does
// not fill because of what it can do. A path-escaped address holds no quote.
func renew(after time.Duration, address string) template.HTMLAttr {
	if after <= 0 {
		return ""
	}
	content := fmt.Sprint(seconds(after))
	if address != "" {
		content += "; url=" + address
	}
	return template.HTMLAttr(`content="` + content + `"`)
}

func (d document) newFigure() *figure {
	kind := d.figure
	if kind == "doors" && d.View.Doors <= 0 {
		kind = "draw"
	}
	left := map[string]time.Duration{"doors": d.View.Doors, "draw": d.Opens, "pay": d.PayIn, "retry": d.Retry}[kind]
	switch {
	case kind == "ahead" && d.HasPlace:
		f := &figure{Kind: kind, Value: d.T.number(d.Ahead), Label: d.T.count("live.ahead", d.Ahead)}
		if d.Place > 0 && d.Ahead <= d.Place {
			f.Gone, f.Of = d.Place-d.Ahead, d.Place
		}
		return f
	case left > 0:
		return &figure{Kind: kind, Value: d.T.length(left), Label: d.T.Text("figure." + kind), Seconds: seconds(left)}
	default:
		return nil
	}
}

func (d document) newAction() *action {
	a := action{Kind: d.action, Label: d.T.Text("action." + d.action)}
	switch {
	case d.action == "buy" && d.BuyPath != "":
		a.Address, a.Method = d.BuyPath, cmp.Or(d.BuyMethod, "POST")
	case d.action == "checkout" && d.Checkout != "":
		a.Address = d.Checkout
	case d.action == "again":
		a.Address = d.Again
	case d.action == "shop":
		a.Address = cmp.Or(d.ProductPage, "/")
		if d.Page == Doors {
			a.Label = d.T.Text("action.look")
		}
	default:
		return nil
	}
	return &a
}

// fact is the value of a small line on the page, empty where there is none.
func (d document) fact(kind string) string {
	switch {
	case kind == "number":
		return d.T.number(d.Number)
	case kind == "entered" && d.Entered > 0:
		return d.T.number(d.Entered)
	case kind == "ahead" && d.HasPlace:
		return d.T.number(d.Ahead)
	case kind == "left" && d.StockLeft > 0:
		return d.T.number(uint64(d.StockLeft))
	case kind == "wait":
		return d.T.span(d.Low, d.High)
	case kind == "reservation":
		return d.Reservation
	}
	return ""
}

// seconds rounds up, so that nobody comes back too early.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

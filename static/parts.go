package static

import (
	"cmp"
	"time"
)

// figure is the one large value of a page.
type figure struct {
	Kind, Value, Label string
	Seconds            int64  // of a countdown
	Hidden             bool   // it lies ready for the script
	Meter              bool   // there is a bar for the script to fill
	Gone, Of           uint64 // how far the line has come towards the shopper; Of 0: not known here
}

// closing is how long before its end a sale's page counts down to it.
const closing = 15 * time.Minute

// action is the one thing to do: a link, or the buy form.
type action struct{ Kind, Label, Address, Method string }

// fact is a small line with a value; without one it is not shown.
type fact struct{ Kind, Label, Why, Value string }

func (d document) newFigure() *figure {
	kind := d.figure
	switch {
	case kind == "doors" && d.View.Doors <= 0:
		kind = "draw"
	case kind == "act" && d.Act <= 0:
		kind = "closes"
	}
	switch kind {
	case "ahead":
		return d.line()
	case "behind": // such a draw: the place is known, and nobody was called yet
		ahead := d.Number
		if d.HasPlace {
			ahead = d.Place
		}
		return &figure{Kind: "ahead", Value: d.T.number(ahead), Label: d.T.count("live.ahead", ahead)}
	case "drawn":
		return &figure{Kind: kind, Value: d.T.number(d.Drawn), Label: d.T.count("live.drawn", d.Drawn)}
	case "doors":
		return d.countdown(kind, d.View.Doors)
	case "draw", "opening":
		if d.Overdue {
			return nil
		}
		return d.countdown(kind, d.Opens)
	case "act":
		return d.countdown(kind, d.Act)
	case "closes":
		if d.View.Closes <= closing {
			return d.countdown(kind, d.View.Closes)
		}
	case "pay":
		return d.countdown(kind, d.PayIn)
	case "retry":
		return d.countdown(kind, d.Retry)
	}
	return nil
}

func (d document) line() *figure {
	if !d.HasPlace {
		return &figure{Kind: "ahead", Meter: true, Hidden: true}
	}
	f := figure{Kind: "ahead", Value: d.T.number(d.Ahead), Label: d.T.count("live.ahead", d.Ahead), Meter: true}
	// Only of who was drawn it is known where they began: behind all before them.
	if !d.Room && d.HasNumber && !d.Behind && d.Number < d.Drawn && d.Ahead <= d.Place {
		f.Gone, f.Of = d.Place-d.Ahead, d.Place
	}
	return &f
}

func (d document) countdown(kind string, left time.Duration) *figure {
	if left <= 0 {
		return nil
	}
	return &figure{Kind: kind, Value: d.T.length(left), Label: d.T.Text("figure." + kind), Seconds: seconds(left)}
}

func (d document) newAction() *action {
	a := action{Kind: d.action}
	if a.Kind == "checkout" && d.Checkout == "" {
		a.Kind = "shop"
	}
	switch a.Kind {
	case "": // an invitation may ask whether it is to be opened
		if d.Page != Invited || d.Whole == "" {
			return nil
		}
		return &action{Kind: "open", Address: d.Whole, Label: d.T.Text("action.enter")}
	case "enter":
		a.Address = d.ownPath("ticket")
	case "prove": // beside the line, whatever the sale: the page lies ready for all
		a.Address = "prove"
	case "buy":
		a.Address, a.Method = d.BuyPath, cmp.Or(d.BuyMethod, "POST")
	case "checkout":
		a.Address = d.Checkout
	case "open":
		a.Address = cmp.Or(d.Whole, d.Shop)
	case "look", "shop":
		a.Address = d.Shop
	case "again":
		a.Address = d.Again
	}
	if a.Address == "" && a.Kind != "again" {
		return nil
	}
	a.Label = d.T.Text("action." + a.Kind)
	return &a
}

func (d document) newFacts() []fact {
	var facts []fact
	for _, kind := range d.facts {
		if d.Room && kind == "odds" {
			continue // nothing runs out there
		}
		// What has no value yet lies ready where the script may learn it.
		if value := d.value(kind); value != "" || d.Asks == "status" {
			facts = append(facts, fact{kind, d.T.Text("fact." + kind), d.T.Text("fact." + kind + ".why"), value})
		}
	}
	return facts
}

// value of a fact, empty where there is none.
func (d document) value(kind string) string {
	switch {
	case kind == "number" && d.HasNumber:
		return d.T.number(d.Number)
	case kind == "entered" && d.Entered > 0:
		return d.T.number(cmp.Or(d.Drawn, d.Entered))
	case kind == "ahead" && d.HasPlace:
		return d.T.number(d.Ahead)
	case kind == "left" && d.StockLeft > 0:
		return d.T.number(uint64(d.StockLeft))
	case kind == "held" && d.StockHeld > 0:
		return d.T.number(uint64(d.StockHeld))
	case kind == "odds" && d.Odds != "":
		return d.T.Text("live.odds." + d.Odds)
	case kind == "wait":
		return d.T.span(d.Low, d.High)
	case kind == "mix", kind == "awaits" && d.Overdue:
		return d.Mix
	case kind == "reservation":
		return d.Reservation
	}
	return ""
}

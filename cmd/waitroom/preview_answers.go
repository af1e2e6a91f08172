package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/waitroom/waitroom/static"
)

// after is the moment that one has become after so long.
func after(m moment, since time.Duration) string {
	switch {
	case m.in == "sale" && (m.page == static.Waiting || m.page == static.Chance) && since >= untilCalled,
		m.page == static.Near && m.in == "sale" && since >= untilNear:
		return "turn"
	case m.page == static.Finishing && since >= untilHeld:
		return "held"
	}
	return m.name
}

// wait is how long who stands in line has to, at first.
func (m moment) wait() time.Duration {
	if m.page == static.Near {
		return untilNear
	}
	return untilCalled
}

// moves reports whether the line comes nearer.
func (m moment) moves() bool {
	return m.page == static.Waiting || m.page == static.Near || m.page == static.Chance
}

// left is what a countdown of so long shows after a while; it then begins again.
func left(of, since time.Duration) time.Duration { return of - since%of }

// move puts into a view what time has changed.
func move(v *static.View, m moment, since time.Duration) {
	if m.moves() && v.Ahead > 0 {
		gone := ahead(min(since, m.wait()))
		v.Ahead -= min(v.Ahead, gone)
	}
	for _, d := range []*time.Duration{&v.Doors, &v.Opens, &v.PayIn, &v.Act} {
		if *d > 0 {
			*d = left(*d, since)
		}
	}
}

// answer is what a page's script asks for while it is open.
func (g *gallery) answer(w http.ResponseWriter, r *http.Request) {
	sc, s, m, now, ok := g.wanted(r)
	if !ok || now.err != nil {
		http.NotFound(w, r)
		return
	}
	m, v := g.at(sc, s, m, now, g.since(sc, false))
	var doc any
	switch r.PathValue("part") {
	case "status":
		doc = statusOf(sc, m, v)
	case "me":
		doc = meOf(m, v)
	case "order":
		doc = map[string]any{"reservation": v.Reservation, "status": strings.ReplaceAll(m.name, "-", "_"), "checkout": v.Checkout, "pay_before": time.Now().Add(v.PayIn).UnixMilli()}
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(doc)
}

// statusOf is the shared status of a sale, or room, in which a shopper sees such a page.
func statusOf(sc scene, m moment, v static.View) map[string]any {
	now := time.Now()
	doc := map[string]any{
		"sale": sc.String(), "title": v.Title, "state": m.state, "message": v.Message, "now": now.UnixMilli(),
		"doors": now.Add(v.Doors).UnixMilli(), "opens": now.Add(v.Opens).UnixMilli(), "closes": now.Add(2 * time.Hour).UnixMilli(),
		"entered": v.Entered, "drawn": nil, "head": 0, "rate": madeRate, "flow": madeRate, "stock_left": v.StockLeft, "stock_held": v.StockHeld,
		"mix": v.Mix, "hopeless_ahead": nil, "eta_ahead": nil, "armed": true, "seed": nil,
	}
	if v.Drawn > 0 {
		doc["drawn"] = v.Drawn
	}
	if v.HasPlace && !v.Overdue {
		doc["head"] = v.Place - min(v.Place, v.Ahead)
	}
	switch {
	case m.page == static.Hopeless:
		doc["hopeless_ahead"] = v.Ahead / 2
	case v.Odds == "small":
		doc["odds_ahead"] = map[string]uint64{"good": 1, "better_than_even": 2, "less_than_even": 3, "small": 4}
	case v.Odds != "":
		doc["odds_ahead"] = map[string]uint64{"good": 0, "better_than_even": 1 << 40, "less_than_even": 1 << 41, "small": 1 << 42}
	}
	return doc
}

// meOf is where such a shopper stands.
func meOf(m moment, v static.View) map[string]any {
	state := "waiting"
	switch {
	case m.page == static.Turn:
		state = "admitted"
	case m.page == static.Invited, m.state == "doors":
		state = "lottery"
	case m.state == "scheduled":
		state = "none"
	case m.page == static.AllHeld, m.page == static.SoldOut:
		state = "sold_out"
	case m.page == static.Hopeless:
		state = "hopeless"
	case m.state == "paused", m.state == "ended":
		state = m.state
	}
	doc := map[string]any{"state": state, "invited": m.page == static.Invited, "behind": v.Behind, "poll_after_ms": 2000}
	if v.HasNumber {
		doc["number"] = v.Number
	}
	if v.HasPlace {
		doc["place"], doc["ahead"] = v.Place, v.Ahead
	}
	return doc
}

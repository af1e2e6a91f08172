package main

import (
	"encoding/json"
	"net/http"
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
	status := http.StatusOK
	var doc map[string]any
	switch r.PathValue("part") {
	case "status":
		doc = statusOf(sc, m, v)
	case "me":
		doc = meOf(m, v)
	case "order":
		if doc = orderOf(m, v); doc == nil {
			status, doc = http.StatusNotFound, map[string]any{"status": "none"}
		}
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(doc)
}

// statusOf is the shared status of a sale, or room, in which a shopper sees such a page.
func statusOf(sc scene, m moment, v static.View) map[string]any {
	now := time.Now()
	doc := map[string]any{
		"sale": sc.String(), "title": v.Title, "state": m.state, "message": v.Message, "now": now.UnixMilli(),
		"entered": v.Entered, "head": called(v), "rate": madeRate,
	}
	if m.in == "room" {
		doc["armed"], doc["active"], doc["flow"] = true, 0, madeRate
		return doc
	}
	doc["doors"], doc["opens"], doc["closes"] = now.Add(v.Doors).UnixMilli(), now.Add(v.Opens).UnixMilli(), now.Add(2*time.Hour).UnixMilli()
	doc["stock_left"], doc["stock_held"] = v.StockLeft, v.StockHeld
	doc["drawn"], doc["hopeless_ahead"], doc["odds_ahead"], doc["eta_ahead"] = nil, nil, nil, nil
	if v.Drawn > 0 {
		doc["drawn"] = v.Drawn
	}
	if v.Mix != "" {
		doc["mix"] = v.Mix
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

// called is the place below which all are.
func called(v static.View) uint64 {
	if !v.HasPlace || v.Overdue {
		return 0
	}
	return v.Place - min(v.Place, v.Ahead)
}

// stateOf is where such a shopper stands, in one word.
func stateOf(m moment) string {
	switch {
	case m.page == static.Turn:
		return "admitted"
	case order[m.page] == "held", order[m.page] == "finishing", order[m.page] == "paid":
		return "held"
	case m.page == static.Invited, m.state == "doors":
		return "lottery"
	case m.state == "scheduled":
		return "none"
	case m.page == static.AllHeld, m.page == static.SoldOut:
		return "sold_out"
	case m.page == static.Hopeless:
		return "hopeless"
	case m.state == "paused", m.state == "ended":
		return m.state
	}
	return "waiting"
}

// meOf is where such a shopper stands.
func meOf(m moment, v static.View) map[string]any {
	state := stateOf(m)
	doc := map[string]any{
		"state": state, "number": nil, "place": nil, "ahead": nil, "eta_low_s": nil, "eta_high_s": nil, "odds": nil,
		"poll_after_ms": 2000,
	}
	if m.page == static.Invited {
		doc["invited"] = true
	}
	if v.Behind {
		doc["behind"] = true
	}
	if v.HasNumber {
		doc["number"] = v.Number
	}
	if v.HasPlace {
		doc["place"], doc["ahead"] = v.Place, v.Ahead
	}
	if state == "waiting" && v.High > 0 {
		doc["eta_low_s"], doc["eta_high_s"] = int64(v.Low.Seconds()), int64(v.High.Seconds())
	}
	if state == "waiting" && v.Odds != "" {
		doc["odds"] = v.Odds
	}
	if state == "hopeless" || m.page == static.AllHeld {
		doc["stock_left"], doc["stock_held"] = v.StockLeft, v.StockHeld
	}
	return doc
}

// order is what has become of the reservation that a page is about.
var order = map[static.Page]string{
	static.Finishing: "finishing", static.Held: "held", static.Paid: "paid", static.AlreadyBought: "held",
	static.Expired: "expired", static.RefundDue: "refund_due", static.Refused: "refused",
}

// orderOf is the order of such a shopper; nil: there is none.
func orderOf(m moment, v static.View) map[string]any {
	status, ok := order[m.page]
	if !ok {
		return nil
	}
	return map[string]any{"reservation": v.Reservation, "status": status, "checkout": v.Checkout, "pay_before": time.Now().Add(v.PayIn).UnixMilli()}
}

package main

import (
	"slices"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/static"
)

// moment is one that a shopper may meet: a page, and what it is then about.
type moment struct {
	name, says string
	page       static.Page
	state      string // of the shared status
	in         string // "sale", "room", or "none": it is a page of no sale
	put        func(*static.View)
}

// What everybody is told in a preview. Nobody's place is real.
const (
	madeNumber = 184_213
	madeDrawn  = 1_032_700
	madePlace  = 9_204
	madeRate   = 20 // people a second
	madeOrder  = "0197f0c2-5f1e-7a3b-9d20-6a0c3f6b1e55"

	untilOpen   = 3 * time.Minute
	untilCalled = 3 * time.Minute // of who waits
	untilNear   = 40 * time.Second
	untilHeld   = 6 * time.Second // of an order that is being written
)

// ahead is how many people that is.
func ahead(wait time.Duration) uint64 { return uint64(wait/time.Second) * madeRate } //nolint:gosec // above zero

// inDraw, waits and so on put into a view what it takes at such a moment.
func inDraw(v *static.View) {
	v.Number, v.HasNumber, v.Entered = madeNumber, true, madeDrawn
	v.Opens = untilOpen
}

func closed(v *static.View) {
	inDraw(v)
	v.Drawn, v.Overdue, v.Mix, v.Opens = madeDrawn, true, "drand round 5,418,320", 0
}

func waits(v *static.View) { stands(v, untilCalled) }

func stands(v *static.View, wait time.Duration) {
	v.Number, v.HasNumber, v.Place, v.HasPlace = madeNumber, true, madePlace, true
	v.Ahead, v.Entered, v.Drawn = ahead(wait), madeDrawn, madeDrawn
	v.Low, v.High = wait*3/4, wait*5/4
	v.Odds, v.StockLeft, v.StockHeld = "better_than_even", 37, 63
}

func ordered(v *static.View) {
	v.Reservation = madeOrder
	v.PayIn = 9*time.Minute + 41*time.Second
}

func pressed(v *static.View) { v.Kept = "size=42" }
func retries(v *static.View) { v.Retry = 20 * time.Second }
func bare(*static.View)      {}
func asks(a static.Asked) func(*static.View) {
	return func(v *static.View) { v.Asked = a }
}

func both(a, b func(*static.View)) func(*static.View) {
	return func(v *static.View) { a(v); b(v) }
}

// moments are all there are, as a shopper may come upon them.
var moments = []moment{
	{"doors", "Before the doors open", static.Doors, "scheduled", "sale", func(v *static.View) { v.Doors, v.Opens = untilOpen, 33*time.Minute }},
	{"prove", "At the door: a proof is asked for", static.Prove, "doors", "sale", asks(static.Asked{Challenge: "preview", Bits: 8, Puzzles: 8, After: time.Second, Behind: true})},
	{"prove-wait", "At the door: a moment is asked for", static.Prove, "doors", "sale", asks(static.Asked{Challenge: "preview", After: 5 * time.Second})},
	{"unproven", "It was not shown", static.Unproven, "doors", "sale", bare},
	{"sign-in", "Only with an account", static.SignIn, "doors", "sale", bare},
	{"lottery", "In the draw", static.Lottery, "doors", "sale", inDraw},
	{"lottery-message", "In the draw, with your message", static.Lottery, "doors", "sale", both(inDraw, func(v *static.View) {
		v.Message = "The payment service is slow at the moment. Nobody loses a place, and we take a little more time."
	})},
	{"behind", "Behind the draw", static.Behind, "doors", "sale", both(inDraw, func(v *static.View) { v.Behind = true })},
	{"invited", "Invited", static.Invited, "doors", "sale", both(inDraw, func(v *static.View) { v.Number = 7 })},
	{"overdue", "The draw waits for its public value", static.Overdue, "doors", "sale", closed},
	{"late", "Came after the draw was closed", static.Late, "doors", "sale", both(closed, func(v *static.View) { v.Number, v.Place, v.HasPlace = madeDrawn+71, madeDrawn+71, true })},
	{"waiting", "In line", static.Waiting, "open", "sale", waits},
	{"waiting-late", "In line, behind the draw", static.Waiting, "open", "sale", both(waits, func(v *static.View) { v.Drawn, v.Number = 5_000, madePlace })},
	{"waiting-small", "In line, with a small chance", static.Waiting, "open", "sale", both(waits, func(v *static.View) { v.Odds = "small" })},
	{"near", "Nearly there", static.Near, "open", "sale", func(v *static.View) { stands(v, untilNear) }},
	{"turn", "Your turn", static.Turn, "open", "sale", func(v *static.View) { v.StockLeft = 37 }},
	{"turn-brief", "Your turn, within a minute", static.Turn, "open", "sale", func(v *static.View) { v.Brief, v.Act, v.StockLeft = true, 55*time.Second, 37 }},
	{"turn-kept", "Your turn, with what was chosen", static.Turn, "open", "sale", pressed},
	{"turn-lost", "Your turn, what was chosen is lost", static.Turn, "open", "sale", func(v *static.View) { v.Lost, v.Pressed = true, true }},
	{"finishing", "Got one, the order is being written", static.Finishing, "open", "sale", ordered},
	{"held", "Got one, and time to pay", static.Held, "open", "sale", ordered},
	{"paid", "Paid", static.Paid, "open", "sale", ordered},
	{"already-bought", "Has one already", static.AlreadyBought, "open", "sale", ordered},
	{"expired", "Did not pay in time", static.Expired, "open", "sale", ordered},
	{"refund-due", "Paid too late", static.RefundDue, "open", "sale", ordered},
	{"refused", "A yes that could not be kept", static.Refused, "open", "sale", ordered},
	{"all-held", "Everything is set aside", static.AllHeld, "all_held", "sale", both(waits, func(v *static.View) { v.StockLeft, v.StockHeld = 0, 100 })},
	{"hopeless", "Too far back", static.Hopeless, "open", "sale", both(waits, func(v *static.View) { v.Place, v.Ahead, v.Odds = 393_204, 391_800, "" })},
	{"chance", "A chance again", static.Chance, "open", "sale", waits},
	{"paused", "Paused", static.Paused, "paused", "sale", waits},
	{"sold-out", "Sold out", static.SoldOut, "sold_out", "sale", bare},
	{"ended", "The sale is over", static.Ended, "ended", "sale", bare},
	{"invitation-expired", "An invitation that has run out", static.InvitationExpired, "open", "sale", bare},
	{"invitation-unknown", "An invitation that is none", static.InvitationUnknown, "open", "sale", bare},
	{"block-full", "Too many from one network", static.BlockFull, "doors", "sale", retries},
	{"cookies", "Cookies needed", static.CookiesNeeded, "doors", "sale", bare},
	{"framed", "Inside another page", static.Framed, "open", "sale", bare},
	{"room", "In line before the shop", static.Waiting, "open", "room", func(v *static.View) { stands(v, untilCalled); v.Odds, v.Drawn = "", 0 }},
	{"room-near", "Nearly in the shop", static.Near, "open", "room", func(v *static.View) { stands(v, untilNear); v.Odds, v.Drawn = "", 0 }},
	{"room-paused", "The line takes a break", static.Paused, "paused", "room", func(v *static.View) { stands(v, untilCalled); v.Odds, v.Drawn = "", 0 }},
	{"slow-down", "Too many requests", static.SlowDown, "", "none", retries},
	{"crowded", "Many people are in the shop", static.Crowded, "", "none", retries},
	{"origin-away", "The shop does not answer", static.OriginAway, "", "none", retries},
	{"bad-request", "Not understood", static.BadRequest, "", "none", bare},
	{"not-found", "No such sale", static.NotFound, "", "none", bare},
}

func momentNamed(name string) (moment, bool) {
	for _, m := range moments {
		if m.name == name {
			return m, true
		}
	}
	return moment{}, false
}

// fits reports whether a sale, or a room, can come to a moment.
func (m moment) fits(s subject) bool {
	return (m.in == "none" || (m.in == "room") == s.room) && !slices.Contains(s.never, m.name)
}

// never are the moments that a sale cannot come to, by what its file says, and by the
// operator's where that is known.
func never(s *configs.Sale, cfg *configs.Config) (names []string) {
	without := func(is bool, more ...string) {
		if !is {
			names = append(names, more...)
		}
	}
	without(s.Mix != "", "overdue", "late")
	without(s.MatchStock, "turn-brief")
	without(s.OneTicketPerAccount, "sign-in")
	without(s.Invitations > 0, "invited", "invitation-expired", "invitation-unknown")
	without(!s.Shed.Off, "hopeless", "chance")
	without(cfg == nil || cfg.Bots.Asks(), "prove", "prove-wait", "unproven")
	return names
}

// ofSale puts what is of a sale in the place of what is made up: its own value that is
// mixed in, and no more units than it has.
func ofSale(v *static.View, s *configs.Sale) {
	if v.Mix != "" && s.Mix != "" {
		v.Mix = s.Mix
	}
	if v.StockLeft > 0 {
		v.StockLeft = max(1, s.Stock*v.StockLeft/100)
	}
	if v.StockHeld > 0 {
		v.StockHeld = s.Stock - v.StockLeft
	}
}

package static

import "time"

// View is what a page is about. Every field may be left out: the page then says
// less, never something wrong. Texts need no escaping.
type View struct {
	Lang    string // a tag of Languages; empty: English
	Offered string // tags that the reader may choose from instead, with spaces between; empty: all there are
	Posted  bool   // it answers a form: to load its address again would be something else
	Brand   *Brand // what the shop has of its own; nil: waitroom's look

	Sale    string // the sale's id, for the address of its status; empty: the page asks for nothing
	Room    bool   // it is a room's: nothing is drawn, and a page renews itself where it is, so keeps the deep link
	Title   string // marketing's name for the sale
	Message string // the operators' word to everyone

	ProductPage string // where "back to the shop" leads; empty: "/"
	Asked       Asked  // of Prove
	BuyMethod   string // of the buy form; empty: POST
	BuyPath     string // where the buy form goes
	RenewAt     string // where a room's page renews itself instead: an address that holds no quote
	Checkout    string // address to pay at
	Reservation string

	Pressed bool   // pressed buy before: at the turn, the form goes on by itself for who is there
	Kept    string // what was chosen then, as an urlencoded form: the buy form has it; empty: nothing
	Lost    bool   // what was chosen could not be kept, and has to be chosen anew
	Whole   string // of Framed: the address under which it stands by itself; empty: the product page's. Of Invited: the invitation, not opened yet

	Number    uint64 // the arrival, from 0, among those Behind if it is; HasNumber says whether there is one
	HasNumber bool
	Behind    bool   // the entry stands behind the draw, whenever it was made
	Place     uint64 // after the draw, from 0; HasPlace says whether there is one
	HasPlace  bool
	Ahead     uint64 // people who are called before
	Entered   uint64 // entries so far; 0: not shown
	Drawn     uint64 // people in the draw, once its lottery is closed; 0 before, or if nobody is

	StockLeft int    // units to be had now; 0 or less: not shown
	StockHeld int    // units that are set aside, and come back where nobody pays; 0 or less: not shown
	Odds      string // the chance in one word, as the shared status has it; empty: not shown

	Brief bool // who does not buy within a minute lets the next one in, and keeps the turn

	Low, High time.Duration // until called; no High: no estimate
	Doors     time.Duration // until the doors open
	Opens     time.Duration // until the draw
	Act       time.Duration // left to press before the next one is let in; 0: as long as one likes
	Closes    time.Duration // until the sale closes; 0: not known
	PayIn     time.Duration // left to pay
	Retry     time.Duration // until another try makes sense
	Refresh   time.Duration // renew by itself after so long; 0: never

	DoorsAt Moment // when the doors open
	OpensAt Moment // when the draw is
	Mix     string // the public value that is named to be mixed into the draw
	Overdue bool   // the lottery is closed, and the draw waits for that value
	Host    string // the shop's own name, for a command to be run elsewhere

	ready bool // what is of one sale or shopper is left for the script to fill in
}

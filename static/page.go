package static

import (
	"maps"
	"slices"
)

// Page names a page by what it tells the shopper.
type Page string

// The pages, in the order a shopper may meet them.
const (
	Doors         Page = "doors"          // not open yet, nobody can enter
	Prove         Page = "prove"          // asks for what has to be shown first
	Unproven      Page = "unproven"       // it was not shown, and there is no ticket without it
	Lottery       Page = "lottery"        // entered, the draw is to come
	Behind        Page = "behind"         // entered, but not into the draw that is to come: stands behind it
	Overdue       Page = "overdue"        // the lottery is closed, the draw waits for its public value
	Late          Page = "late"           // stands behind such a draw, as who entered after its lottery was closed
	Invited       Page = "invited"        // stands before the draw, the opening is to come
	Waiting       Page = "waiting"        // drawn, people are ahead
	Near          Page = "near"           // drawn, and soon called
	Turn          Page = "turn"           // called: a form that posts to the sale's buy
	Held          Page = "held"           // got one, and so long to pay
	Finishing     Page = "finishing"      // got one, the order is being written
	Paid          Page = "paid"           // got one and paid
	Expired       Page = "expired"        // got one and did not pay in time
	Refused       Page = "refused"        // a yes that became a no, with an apology
	RefundDue     Page = "refund_due"     // paid too late, the money goes back
	AllHeld       Page = "all_held"       // every unit is held, some may come back
	SoldOut       Page = "sold_out"       // final
	Hopeless      Page = "hopeless"       // too far back to get one
	Chance        Page = "chance"         // waiting again, after Hopeless
	AlreadyBought Page = "already_bought" // as many as one account may have
	Paused        Page = "paused"         // nobody is let through for now
	Ended         Page = "ended"          // the window is over
	SlowDown      Page = "slow_down"      // too many requests from here
	BlockFull     Page = "block_full"     // the network has its tickets for now
	Crowded       Page = "crowded"        // too many are in the shop behind
	OriginAway    Page = "origin_away"    // the shop behind does not answer
	CookiesNeeded Page = "cookies_needed" // a place cannot be kept without them
	Framed        Page = "framed"         // inside another page, where nobody can see whose it is
	SignIn        Page = "sign_in"        // only who has an account can join
	BadRequest    Page = "bad_request"    // not understood
	NotFound      Page = "not_found"      // no such sale

	InvitationExpired Page = "invitation_expired" // a link that is good no more
	InvitationUnknown Page = "invitation_unknown" // a link that is none of this sale
)

// Known lists every page, by name.
func Known() []Page { return slices.Sorted(maps.Keys(traits)) }

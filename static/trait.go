package static

// trait is what distinguishes one page from another besides its texts.
type trait struct {
	Tone   string // colours: calm, glad or sorry
	Icon   string // a drawing of web/icons.html
	figure string // the one large value: act, ahead, behind, doors, draw, drawn, opening, pay, retry
	action string // the one thing to do: enter, prove, buy, checkout, again, look, open, shop
	facts  []string
	Keeps  bool // there is a place to keep, and worth saying so
	Common bool // the shared status tells when it is true: every such page holds all of them
	Rooms  bool // of those, the ones that a room shows, too
	Proves bool // the place is drawn, and can be checked
	Places bool // says why the place is where it is

	// What the script asks while the page is open ("status", "order"; empty:
	// nothing), and, of a page that is not Common, the answers under which it
	// still tells the truth: states of the shared status, and states of the
	// shopper (of the order, where that is asked). A page without own states
	// goes by the shared one.
	Asks, Shared, Own string
}

var traits = map[Page]trait{
	Doors:         {Tone: "calm", Icon: "clock", figure: "doors", action: "look", Asks: "status", Shared: "scheduled"},
	Prove:         {Tone: "calm", Icon: "open", action: "enter"},
	Unproven:      {Tone: "calm", Icon: "closed", action: "again"},
	Lottery:       {Tone: "calm", Icon: "ticket", figure: "draw", facts: []string{"number", "entered", "mix"}, Asks: "status", Keeps: true, Common: true},
	Behind:        {Tone: "calm", Icon: "line", figure: "draw", action: "prove", facts: []string{"entered"}, Asks: "status", Keeps: true, Common: true},
	Overdue:       {Tone: "calm", Icon: "ticket", figure: "drawn", facts: []string{"number", "awaits"}, Asks: "status", Keeps: true, Common: true},
	Late:          {Tone: "calm", Icon: "line", figure: "behind", facts: []string{"awaits"}, Asks: "status", Keeps: true, Common: true, Places: true},
	Invited:       {Tone: "glad", Icon: "ticket", figure: "opening", facts: []string{"awaits"}, Asks: "status", Shared: "scheduled doors", Own: "none lottery", Keeps: true},
	Waiting:       {Tone: "calm", Icon: "line", figure: "ahead", facts: []string{"wait", "odds"}, Asks: "status", Keeps: true, Common: true, Rooms: true, Proves: true, Places: true},
	Near:          {Tone: "calm", Icon: "line", figure: "ahead", facts: []string{"wait", "odds"}, Asks: "status", Keeps: true, Common: true, Rooms: true, Proves: true, Places: true},
	Turn:          {Tone: "glad", Icon: "open", figure: "act", action: "buy", facts: []string{"left"}, Asks: "status", Shared: "open", Own: "called admitted"},
	Held:          {Tone: "glad", Icon: "check", figure: "pay", action: "checkout", facts: []string{"reservation"}, Asks: "order", Own: "held"},
	Finishing:     {Tone: "glad", Icon: "check", facts: []string{"reservation"}, Asks: "order", Own: "finishing"},
	Paid:          {Tone: "glad", Icon: "check", action: "shop", facts: []string{"reservation"}},
	Expired:       {Tone: "sorry", Icon: "clock", action: "shop", facts: []string{"reservation"}},
	Refused:       {Tone: "sorry", Icon: "closed", action: "shop", facts: []string{"reservation"}},
	RefundDue:     {Tone: "sorry", Icon: "clock", action: "shop", facts: []string{"reservation"}},
	AllHeld:       {Tone: "calm", Icon: "line", facts: []string{"held", "odds"}, Asks: "status", Keeps: true, Common: true},
	SoldOut:       {Tone: "sorry", Icon: "closed", action: "shop", Asks: "status", Common: true},
	Hopeless:      {Tone: "sorry", Icon: "line", action: "shop", facts: []string{"ahead", "left", "held"}, Asks: "status", Common: true, Proves: true, Places: true},
	Chance:        {Tone: "glad", Icon: "line", figure: "ahead", facts: []string{"wait", "odds"}, Asks: "status", Keeps: true, Common: true, Proves: true, Places: true},
	AlreadyBought: {Tone: "glad", Icon: "check", action: "checkout", facts: []string{"reservation"}},
	Paused:        {Tone: "calm", Icon: "pause", Asks: "status", Keeps: true, Common: true, Rooms: true},
	Ended:         {Tone: "sorry", Icon: "closed", action: "shop", Asks: "status", Common: true},
	SlowDown:      {Tone: "calm", Icon: "pause", figure: "retry", action: "again"},
	BlockFull:     {Tone: "calm", Icon: "pause", figure: "retry", action: "again"},
	Crowded:       {Tone: "calm", Icon: "pause", figure: "retry", action: "again"},
	OriginAway:    {Tone: "calm", Icon: "pause", figure: "retry", action: "again"},
	CookiesNeeded: {Tone: "calm", Icon: "ticket", action: "again"},
	Framed:        {Tone: "calm", Icon: "open", action: "open"},
	SignIn:        {Tone: "calm", Icon: "ticket", action: "shop"},
	BadRequest:    {Tone: "calm", Icon: "closed", action: "shop"},
	NotFound:      {Tone: "calm", Icon: "closed", action: "shop"},

	InvitationExpired: {Tone: "calm", Icon: "clock", action: "look"},
	InvitationUnknown: {Tone: "calm", Icon: "closed", action: "look"},
}

// shared reports whether a page is one of the common views of a sale, or a room.
func (t trait) shared(room bool) bool { return t.Common && (t.Rooms || !room) }

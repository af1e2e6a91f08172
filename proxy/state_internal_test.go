package proxy

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/shedding"
	"github.com/waitroom/waitroom/static"
)

var (
	full   = gate.Snapshot{Total: 10, Left: 5}
	held   = gate.Snapshot{Total: 10, Paid: 9}
	paid   = gate.Snapshot{Total: 10, Paid: 10}
	shut   = gate.Snapshot{Total: 10, Left: 5, Closed: "test"}
	absent = gate.Snapshot{Missing: true}
)

func TestSaleState(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line  queueing.State
		gate  gate.Snapshot
		stale bool
		want  string
	}{
		{queueing.StateScheduled, full, false, stateScheduled},
		{queueing.StateScheduled, absent, true, stateScheduled},
		{queueing.StateDoors, full, false, stateDoors},
		{queueing.StateDoors, absent, false, stateDoors},
		{queueing.StatePaused, full, false, statePaused},
		{queueing.StateOpen, full, false, stateOpen},
		{queueing.StateOpen, full, true, statePaused},
		{queueing.StateOpen, shut, false, statePaused},
		{queueing.StateOpen, absent, false, statePaused},
		{queueing.StateOpen, held, false, stateAllHeld},
		{queueing.StateOpen, paid, false, stateSoldOut},
		{queueing.StateEnded, full, false, stateEnded},
		{queueing.StateEnded, held, false, stateEnded},
		{queueing.StateEnded, paid, false, stateSoldOut},
		{queueing.StateEnded, absent, true, stateEnded},
	} {
		if got := saleState(test.line, gateState(test.gate), test.stale); got != test.want {
			t.Errorf("line %s, gate %+v, stale %t: %s, want %s", test.line, test.gate, test.stale, got, test.want)
		}
	}
}

// What is told of the stock while there is no gate: before the opening what it will
// have, later what was said last.
func TestStockOfNoGate(t *testing.T) {
	t.Parallel()
	said := func(at time.Time) *board {
		shown := queueing.Snapshot{Stock: queueing.Stock{Left: 3, Held: 4, State: stateOpen, Tail: "-"}}
		return &board{line: &queueing.Snapshot{Now: at, Shown: &shown}, taken: time.Now()}
	}
	now := time.Now()
	for _, test := range []struct {
		name  string
		opens time.Time
		gate  gate.Snapshot
		last  *board
		want  queueing.Stock
	}{
		{"before the opening", now.Add(time.Hour), absent, said(now), queueing.Stock{Left: 20, State: statePaused}},
		{"before it, by an edge that has just started", now.Add(time.Hour), absent, nil, queueing.Stock{Left: 20, State: statePaused}},
		{"forgotten", now.Add(-time.Hour), absent, said(now), queueing.Stock{Left: 3, Held: 4, State: statePaused}},
		{"opened by the clock of the line", now.Add(time.Hour), absent, said(now.Add(2 * time.Hour)), queueing.Stock{Left: 3, Held: 4, State: statePaused}},
		{"forgotten, and nobody remembers", now.Add(-time.Hour), absent, nil, queueing.Stock{State: statePaused}},
		{"there", now.Add(-time.Hour), full, said(now), queueing.Stock{Left: 5, Held: 5, State: stateOpen}},
	} {
		if got := stockOf(&configs.Sale{Stock: 20, Opens: test.opens}, test.gate, test.last); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

func TestStateOf(t *testing.T) {
	t.Parallel()
	nobody, ticket, pass := shopper{}, shopper{ticket: &queueing.Ticket{}}, shopper{pass: &queueing.Pass{}}
	waits := func(ahead uint64) queueing.Standing {
		return queueing.Standing{State: queueing.StandingWaiting, Drawn: true, Place: ahead, Ahead: ahead}
	}
	called := queueing.Standing{State: queueing.StandingCalled, Drawn: true}
	lottery := queueing.Standing{State: queueing.StandingLottery}
	note := func(s gate.Status) *gate.Note { return &gate.Note{Status: s} }
	const far = 1_000_000
	for _, test := range []struct {
		name     string
		state    string
		gate     gate.Snapshot
		who      shopper
		standing queueing.Standing
		latch    bool
		note     *gate.Note
		want     string
	}{
		{"nobody", stateOpen, full, nobody, queueing.Standing{}, false, nil, meNone},
		{"before the doors", stateScheduled, full, ticket, queueing.Standing{State: queueing.StandingNone}, false, nil, meNone},
		{"lottery", stateDoors, full, ticket, lottery, false, nil, meLottery},
		{"waiting", stateOpen, full, ticket, waits(3), false, nil, meWaiting},
		{"too far back", stateOpen, full, ticket, waits(far), false, nil, meHopeless},
		{"behind a draw that is not held", stateDoors, full, ticket, waits(far), false, nil, meWaiting},
		{"too far back while all are held", stateAllHeld, held, ticket, waits(far), true, nil, meHopeless},
		{"near while all are held", stateAllHeld, held, ticket, waits(3), true, nil, meSoldOut},
		{"called", stateOpen, full, ticket, called, false, nil, meCalled},
		{"called, but the latch is shut", stateOpen, full, ticket, called, true, nil, meSoldOut},
		{"the line is paused", stateOpen, full, ticket, queueing.Standing{State: queueing.StandingPaused}, false, nil, mePaused},
		{"the line has ended", stateOpen, full, ticket, queueing.Standing{State: queueing.StandingEnded}, false, nil, meEnded},
		{"the line is closed", stateDoors, full, ticket, queueing.Standing{State: queueing.StandingNone}, false, nil, meNone},
		{"admitted", stateOpen, full, pass, called, false, nil, meAdmitted},
		{"admitted, far back", stateOpen, full, pass, waits(far), false, nil, meAdmitted},
		{"admitted, but all are held", stateAllHeld, held, pass, called, true, nil, meSoldOut},
		{"paused", statePaused, full, ticket, called, false, nil, mePaused},
		{"sold out", stateSoldOut, paid, ticket, called, true, nil, meSoldOut},
		{"ended", stateEnded, full, ticket, called, false, nil, meEnded},
		{"finishing", stateOpen, full, pass, called, false, note(gate.Finishing), meHeld},
		{"held while paused", statePaused, full, pass, called, false, note(gate.Held), meHeld},
		{"paid after the end", stateEnded, paid, pass, called, true, note(gate.Paid), meHeld},
		{"expired", stateOpen, full, pass, called, false, note(gate.Expired), meAdmitted},
		{"refused, sold out", stateSoldOut, paid, pass, called, true, note(gate.Refused), meSoldOut},
	} {
		b := &board{state: test.state, gate: test.gate}
		if from := uint64(far); test.state != stateDoors { // nothing is told of a draw that is not held
			b.odds = odds{hopelessAhead: &from}
		}
		if got := b.stateOf(&test.who, test.standing, test.latch, test.note); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestPageFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		state, me string
		note      gate.Status
		want      static.Page
	}{
		{stateScheduled, meNone, "", static.Doors}, {stateDoors, meLottery, "", static.Lottery}, {stateOpen, meWaiting, "", static.Waiting},
		{stateOpen, meCalled, "", static.Turn}, {stateOpen, meAdmitted, "", static.Turn}, {stateOpen, meHopeless, "", static.Hopeless},
		{stateOpen, meSoldOut, "", static.AllHeld}, {stateAllHeld, meSoldOut, "", static.AllHeld}, {stateSoldOut, meSoldOut, "", static.SoldOut},
		{stateEnded, meEnded, "", static.Ended}, {statePaused, mePaused, "", static.Paused},
		{stateOpen, meHeld, gate.Finishing, static.Finishing}, {stateOpen, meHeld, gate.Held, static.Held}, {stateEnded, meHeld, gate.Paid, static.Paid},
		{stateOpen, meAdmitted, gate.Expired, static.Turn}, {stateAllHeld, meSoldOut, gate.Expired, static.Expired}, {stateEnded, meEnded, gate.Cancelled, static.Expired},
		{stateOpen, meAdmitted, gate.Refused, static.Refused}, {stateEnded, meEnded, gate.RefundDue, static.RefundDue},
	} {
		var note *gate.Note
		if test.note != "" {
			note = &gate.Note{Status: test.note}
		}
		if got := pageFor(&board{state: test.state, line: &queueing.Snapshot{}}, me{State: test.me}, note); got != test.want {
			t.Errorf("sale %s, shopper %s, order %s: page %s, want %s", test.state, test.me, test.note, got, test.want)
		}
	}
}

// TestPageForOverdue: while a draw waits for its value, who is in it and who is
// behind it are told different things.
func TestPageForOverdue(t *testing.T) {
	t.Parallel()
	line := queueing.Snapshot{Closes: time.Now(), Counted: true, DrawnCount: 4, Mix: "drand round 5213377"}
	for _, test := range []struct {
		me     string
		number uint64
		want   static.Page
	}{{meLottery, 3, static.Overdue}, {meWaiting, 4, static.Late}, {mePaused, 4, static.Paused}} {
		if got := pageFor(&board{state: stateDoors, line: &line}, me{State: test.me, Number: test.number, HasNumber: true}, nil); got != test.want {
			t.Errorf("number %d, shopper %s: page %s, want %s", test.number, test.me, got, test.want)
		}
	}
	if got := pageFor(&board{state: stateDoors, line: &line}, me{State: meWaiting, Behind: true, HasNumber: true, Place: 4, HasPlace: true}, nil); got != static.Late {
		t.Errorf("first of those behind the draw: page %s, want %s", got, static.Late)
	}
	if got := pageFor(&board{state: stateDoors, line: &queueing.Snapshot{}}, me{State: meWaiting, Behind: true, HasNumber: true}, nil); got != static.Behind {
		t.Errorf("behind a draw whose lottery is open: page %s, want %s", got, static.Behind)
	}
	if got := pageFor(&board{state: stateDoors, line: &line}, me{State: meLottery, Invited: true}, nil); got != static.Invited {
		t.Errorf("invited: page %s, want %s", got, static.Invited)
	}
}

// TestBoardKeepsItsDocument as long as the same picture is published, and the
// document is of that picture, not of what this edge has seen since.
func TestBoardKeepsItsDocument(t *testing.T) {
	t.Parallel()
	sale := &configs.Sale{ID: "golden-toy"}
	at := func(ms int64, entered uint64) *queueing.Snapshot {
		shown := &queueing.Snapshot{State: queueing.StateOpen, Now: time.UnixMilli(ms).Truncate(250 * time.Millisecond), Entered: 7, Stock: queueing.Stock{Left: 5, State: stateOpen}}
		return &queueing.Snapshot{State: queueing.StateOpen, Now: time.UnixMilli(ms), Entered: entered, Shown: shown}
	}
	first := newBoard(sale, nil, at(5000, 8), full, time.Now(), false)
	second := newBoard(sale, first, at(5249, 9), held, time.Now(), false)
	if first.status.etag != second.status.etag {
		t.Error("the document changed within a turn")
	}
	if second.state != stateAllHeld {
		t.Errorf("the edge itself knows of %s, want %s at once", second.state, stateAllHeld)
	}
	if !strings.Contains(string(first.status.body), `"entered":7,`) || !strings.Contains(string(first.status.body), `"stock_left":5,`) {
		t.Errorf("document %s is not of the published picture", first.status.body)
	}
	for name, other := range map[string]*board{
		"in the next turn":                 newBoard(sale, second, at(5250, 9), full, time.Now(), false),
		"when the stores are away":         newBoard(sale, second, at(5249, 9), full, time.Now(), true),
		"when the sale's file has changed": newBoard(&configs.Sale{ID: "golden-toy", Title: "x"}, second, at(5249, 9), full, time.Now(), false),
	} {
		if other.status.etag == second.status.etag {
			t.Errorf("the document did not change %s", name)
		}
	}
}

// TestVerdictIsThePublishedOne: whoever computes from the document what becomes of
// a place comes to what `me` says, also at an edge that has seen more since.
func TestVerdictIsThePublishedOne(t *testing.T) {
	t.Parallel()
	sale := &configs.Sale{ID: "golden-toy", Shed: configs.Shed{LinePerUnit: 50}}
	const head = 100
	for _, test := range []struct {
		stock queueing.Stock
		want  uint64
	}{
		{queueing.Stock{Left: 1, State: stateOpen}, 50},
		{queueing.Stock{Left: 60, Held: 40, State: stateOpen}, 5000},
		{queueing.Stock{Held: 2, State: stateAllHeld}, 100},
		{queueing.Stock{State: stateSoldOut}, 0},
	} {
		sight := shedding.Sight{
			Now: time.UnixMilli(4900), Open: true, Head: head, Rate: 1,
			Left: test.stock.Left, Held: test.stock.Held, Paid: 100 - test.stock.Left - test.stock.Held,
		}
		test.stock.Tail = shedding.Tail{}.Next(shedding.TermsOf(sale), sight).String()
		shown := &queueing.Snapshot{State: queueing.StateOpen, Drawn: true, Now: time.UnixMilli(5000), Head: head, Stock: test.stock}
		line := &queueing.Snapshot{State: queueing.StateOpen, Head: head + 20, Shown: shown}
		b := newBoard(sale, nil, line, gate.Snapshot{Total: 7, Left: 7}, time.Now(), false)
		if want := fmt.Sprintf(`"hopeless_ahead":%d,"odds_ahead":{`, test.want); !strings.Contains(string(b.status.body), want) {
			t.Errorf("%+v: document %s, want %s", test.stock, b.status.body, want)
		}
		for _, ahead := range []uint64{0, 1, test.want - 1, test.want, 1 << 50} {
			place := head + ahead
			if got, want := b.odds.hopeless(place), place-head >= test.want; got != want {
				t.Errorf("%+v: place %d is hopeless: %t, want %t", test.stock, place, got, want)
			}
		}
	}
}

// TestNothingIsTold of a chance before there are places, of a picture without a
// word of it or with one that nobody can read, and of a sale that sheds nobody.
func TestNothingIsTold(t *testing.T) {
	t.Parallel()
	open := shedding.Sight{Now: time.UnixMilli(4900), Open: true, Rate: 1, Left: 1, Paid: 99}
	text := shedding.Tail{}.Next(shedding.Terms{LinePerUnit: 1}, open).String()
	for name, test := range map[string]struct {
		shown    queueing.Snapshot
		hopeless string
		words    bool
	}{
		"told":            {queueing.Snapshot{Drawn: true, Stock: queueing.Stock{Tail: text}}, "1", true},
		"no draw":         {queueing.Snapshot{Stock: queueing.Stock{Tail: text}}, "null", false},
		"no word":         {queueing.Snapshot{Drawn: true}, "null", false},
		"not to be read":  {queueing.Snapshot{Drawn: true, Stock: queueing.Stock{Tail: "no tail"}}, "null", false},
		"nobody shed":     {queueing.Snapshot{Drawn: true, Stock: queueing.Stock{Tail: shedding.Tail{}.Next(shedding.Terms{Off: true}, open).String()}}, "null", true},
		"stores are away": {queueing.Snapshot{Drawn: true, Stock: queueing.Stock{Tail: shedding.Tail{}.Next(shedding.Terms{LinePerUnit: 1}, shedding.Sight{Left: 1}).String()}}, "null", false},
	} {
		o := oddsOf(&test.shown)
		doc := string(statusDocument(&configs.Sale{}, &test.shown, o, false).body)
		if want := `"hopeless_ahead":` + test.hopeless + `,`; !strings.Contains(doc, want) || strings.Contains(doc, `"odds_ahead":null`) == test.words {
			t.Errorf("%s: %s, want %s and words %t", name, doc, want, test.words)
		}
		if o.hopeless(1<<40) != (test.hopeless != "null") {
			t.Errorf("%s: a place far back is hopeless: %t", name, o.hopeless(1<<40))
		}
	}
}

// TestNextTail is of what this edge saw when the last one was published, and of
// nothing before it saw anything.
func TestNextTail(t *testing.T) {
	t.Parallel()
	var none *board
	if got := none.nextTail(); got != "" {
		t.Errorf("before anything was seen: %q", got)
	}
	sale := &configs.Sale{ID: "golden-toy", Shed: configs.Shed{LinePerUnit: 10}}
	see := func(state queueing.State, g gate.Snapshot, tail string, stale bool) string {
		shown := &queueing.Snapshot{State: state, Drawn: true, Now: time.UnixMilli(5000), Stock: queueing.Stock{Tail: tail}}
		line := &queueing.Snapshot{State: state, Drawn: true, Now: time.UnixMilli(5100), Head: 40, Rate: 1, Shown: shown}
		return newBoard(sale, nil, line, g, time.Now(), stale).nextTail()
	}
	from := func(text string) uint64 {
		ahead, ok := shedding.ParseTail(text).HopelessAhead(40)
		if !ok {
			t.Fatalf("%q says nothing", text)
		}
		return ahead
	}
	first := see(queueing.StateOpen, full, "", false)
	if got := from(first); got != 100 { // five left and five held
		t.Errorf("hopeless with %d ahead, want 100", got)
	}
	if got := from(see(queueing.StateOpen, held, first, false)); got != 10 {
		t.Errorf("with one unit that may come back, hopeless with %d ahead, want 10", got)
	}
	for name, kept := range map[string]string{
		"paused":          see(queueing.StatePaused, held, first, false),
		"the gate closed": see(queueing.StateOpen, shut, first, false),
		"the gate gone":   see(queueing.StateOpen, absent, first, false),
		"stores away":     see(queueing.StateOpen, held, first, true),
	} {
		if got := from(kept); got != 100 {
			t.Errorf("%s: hopeless with %d ahead, want as before", name, got)
		}
	}
}

// TestTermsThatCameLast hold: a file that came to say something else rules from then
// on, whatever an edge says whose file did not change.
func TestTermsThatCameLast(t *testing.T) {
	t.Parallel()
	sale := func(perUnit int) *configs.Sale {
		return &configs.Sale{ID: "golden-toy", Shed: configs.Shed{LinePerUnit: perUnit}}
	}
	at := func(millis int64, tail string) *queueing.Snapshot {
		shown := &queueing.Snapshot{State: queueing.StateOpen, Drawn: true, Now: time.UnixMilli(millis), Stock: queueing.Stock{Tail: tail}}
		return &queueing.Snapshot{State: queueing.StateOpen, Drawn: true, Now: time.UnixMilli(millis), Head: 40, Rate: 1, Shown: shown}
	}
	from := func(text string) uint64 {
		ahead, _ := shedding.ParseTail(text).HopelessAhead(40)
		return ahead
	}
	one := newBoard(sale(10), nil, at(5000, ""), full, time.Now(), false)
	other := newBoard(sale(10), nil, at(5100, one.nextTail()), full, time.Now(), false)
	other = newBoard(sale(20), other, at(5200, one.nextTail()), full, time.Now(), false) // its file changed
	text := other.nextTail()
	if got := from(text); got != 180 {
		t.Fatalf("a file that changed: hopeless with %d ahead, want 180", got)
	}
	// The first edge's file was read again in between, and says as before.
	one = newBoard(sale(10), one, at(5300, text), full, time.Now(), false)
	if got := from(one.nextTail()); got != 180 {
		t.Errorf("an edge whose file did not change yet: hopeless with %d ahead, want 180", got)
	}
	// It changes back on the other one.
	other = newBoard(sale(10), other, at(5400, one.nextTail()), full, time.Now(), false)
	if got := from(other.nextTail()); got == 180 {
		t.Errorf("a file that changed back: hopeless with %d ahead as before", got)
	}
}

// TestInLine: nearly there is who is called within a minute at the latest, and not who is
// sent home sooner.
func TestInLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		high, closes time.Duration
		want         static.Page
	}{
		{0, time.Hour, static.Waiting}, // nobody can tell
		{time.Second, time.Hour, static.Near},
		{time.Minute, time.Hour, static.Near},
		{time.Minute + 1, time.Hour, static.Waiting},
		{30 * time.Second, 30 * time.Second, static.Waiting}, // no longer than that because all closes
	} {
		if got := inLine(me{standing: queueing.Standing{High: test.high}}, test.closes); got != test.want {
			t.Errorf("%v until called, %v until all closes: page %s, want %s", test.high, test.closes, got, test.want)
		}
	}
}

// TestNearlyIsThatOfThePages: the page's script goes by the same minute as the edge, and by
// the same five as what shoppers are told, word for word; and no page asks seldomer than
// is told.
func TestNearlyIsThatOfThePages(t *testing.T) {
	t.Parallel()
	minute := fmt.Sprintf("(ahead + 1) / slow <= %.0f ||", nearly.Seconds())
	for file, rules := range map[string][]string{
		"../static/web/script/standing.js": {minute, "data.page === 'near' && ahead / fast <= 300)"},
		"../static/web/script/polls.js":    {"clamp(1, s, 300)"},
		"../static/web/left.js":            {"Math.min(300, 5 * 2 ** lost)", "Math.min(300, wait || 20)"},
		"../docs/shoppers.md": {"Who is called within a minute at the latest is told so", "when more than five minutes are left even at the soonest",
			"| after an answer that did not come | 4, 8, 16 … at most 300 |"},
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range rules {
			if !strings.Contains(string(text), rule) {
				t.Errorf("%s has no %q any more: the others must follow it", file, rule)
			}
		}
	}
}

// TestChance is told to who waits, or might: in a word, and with what there is.
func TestChance(t *testing.T) {
	t.Parallel()
	small, good, from := uint64(50), uint64(5), uint64(900)
	b := &board{
		state: stateOpen, gate: gate.Snapshot{Total: 10, Left: 3, Paid: 1}, line: &queueing.Snapshot{Head: 110},
		odds: odds{head: 100, hopelessAhead: &from, words: &shedding.Odds{Good: &good, Small: &small}},
	}
	for _, test := range []struct {
		state, sale string
		place       uint64
		latch       bool
		want        string
	}{
		{meWaiting, stateOpen, 130, false, "uncertain - -"},
		{meWaiting, stateOpen, 149, false, "uncertain - -"},
		{meWaiting, stateOpen, 150, false, "small - -"}, // of the published head, as pages reckon
		{meHopeless, stateOpen, 1100, false, "small 3 6"},
		{meSoldOut, stateAllHeld, 150, false, "small 3 6"},
		{meSoldOut, stateOpen, 150, true, "small 0 9"}, // before the gate was looked at again
		{meSoldOut, stateAllHeld, 105, false, "- 3 6"}, // called
		{meSoldOut, stateSoldOut, 150, false, "- - -"},
		{meCalled, stateOpen, 105, false, "- - -"},
		{mePaused, statePaused, 150, false, "- - -"},
	} {
		b.state = test.sale
		m := me{State: test.state, standing: queueing.Standing{Drawn: true, Place: test.place}}
		b.chance(&m, test.latch)
		left, held := "-", "-"
		if m.HasLeft {
			left, held = fmt.Sprint(m.Left), fmt.Sprint(m.Held)
		}
		got := cmp.Or(m.Odds, "-") + " " + left + " " + held
		if got != test.want {
			t.Errorf("%s in a sale %s at place %d: %s, want %s", test.state, test.sale, test.place, got, test.want)
		}
	}
}

// TestHopelessIsSmall, also where the words alone would not say so much.
func TestHopelessIsSmall(t *testing.T) {
	t.Parallel()
	from := uint64(40)
	o := odds{head: 100, hopelessAhead: &from, words: &shedding.Odds{}}
	for place, want := range map[uint64]shedding.Word{99: "", 100: shedding.Uncertain, 139: shedding.Uncertain, 140: shedding.Small} {
		if got := o.word(place); got != want {
			t.Errorf("place %d: %q, want %q", place, got, want)
		}
	}
}

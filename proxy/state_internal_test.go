package proxy

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
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

func TestStateOf(t *testing.T) {
	t.Parallel()
	nobody, ticket, pass := shopper{}, shopper{ticket: &queueing.Ticket{}}, shopper{pass: &queueing.Pass{}}
	waits := func(ahead uint64) queueing.Standing {
		return queueing.Standing{State: queueing.StandingWaiting, Drawn: true, Ahead: ahead}
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
		b := &board{state: test.state, gate: test.gate, hopelessAhead: hopelessAhead(stockOf(&configs.Sale{}, test.gate))}
		if got := b.stateOf(test.who, test.standing, test.latch, test.note); got != test.want {
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
		if got := pageFor(&board{state: stateDoors, line: &line}, me{State: test.me, Number: &test.number}, nil); got != test.want {
			t.Errorf("number %d, shopper %s: page %s, want %s", test.number, test.me, got, test.want)
		}
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

// TestVerdictIsThePublishedOne: whoever computes from the document what becomes
// of a place comes to what `me` says.
func TestVerdictIsThePublishedOne(t *testing.T) {
	t.Parallel()
	sale := &configs.Sale{ID: "golden-toy"}
	for _, test := range []struct {
		stock queueing.Stock
		want  string
	}{
		{queueing.Stock{Left: 1, State: stateOpen}, "135"},
		{queueing.Stock{Left: 100, State: stateOpen}, "2663"},
		{queueing.Stock{Left: 60, Held: 40, State: stateOpen}, "2663"},
		{queueing.Stock{Held: 100, State: stateAllHeld}, "2663"},
		{queueing.Stock{State: stateSoldOut}, "0"},
		{queueing.Stock{Left: 1 << 40, State: stateOpen}, "null"},
	} {
		shown := &queueing.Snapshot{State: queueing.StateOpen, Now: time.UnixMilli(5000), Stock: test.stock}
		// The edge itself has seen more of the gate since.
		b := newBoard(sale, nil, &queueing.Snapshot{State: queueing.StateOpen, Shown: shown}, gate.Snapshot{Total: 7, Left: 7}, time.Now(), false)
		if want := `"hopeless_ahead":` + test.want + `,`; !strings.Contains(string(b.status.body), want) {
			t.Errorf("%+v: document %s, want %s", test.stock, b.status.body, want)
		}
		from, err := strconv.ParseUint(test.want, 10, 64) // fails for null
		for _, ahead := range []uint64{0, 1, from - 1, from, 1 << 50} {
			if got, want := b.hopeless(ahead), err == nil && ahead >= from; got != want {
				t.Errorf("%+v: %d ahead are hopeless: %t, want %t", test.stock, ahead, got, want)
			}
		}
	}
}

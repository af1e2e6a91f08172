package proxy

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
)

func TestPollAfter_SoldOut(t *testing.T) {
	t.Parallel()
	at := func(place uint64) me { return me{State: meSoldOut, Place: place, HasPlace: true} }
	for name, test := range map[string]struct {
		state     string
		me        me
		low, high time.Duration
	}{
		"at hand":          {stateAllHeld, at(300 + atHand - 1), atHandPoll, atHandPoll * 5 / 4},
		"not quite":        {stateAllHeld, at(300 + atHand), orderPoll, orderPoll * 3 / 2},
		"next in line":     {stateAllHeld, at(1000 + nextInLine - 1), orderPoll, orderPoll * 3 / 2},
		"further back":     {stateAllHeld, at(1000 + nextInLine), pausePoll, pausePoll * 3 / 2},
		"without a ticket": {stateAllHeld, me{State: meSoldOut}, pausePoll, pausePoll * 3 / 2},
		"for good":         {stateSoldOut, at(0), calmPoll, calmPoll * 3 / 2},
	} {
		b := &board{sale: &configs.Sale{}, state: test.state, line: &queueing.Snapshot{Passes: 1000}, gate: gate.Snapshot{Won: 300}}
		for range 100 {
			if got := b.pollAfter(&test.me); got < test.low || got > test.high {
				t.Fatalf("%s: %v, want %v to %v", name, got, test.low, test.high)
			}
		}
	}
}

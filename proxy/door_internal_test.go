package proxy

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
)

// TestObserve: the newest state of the gate decides whether anything is left,
// in whatever order its answers arrive, and a rebuilt gate is newer than any
// before.
func TestObserve(t *testing.T) {
	t.Parallel()
	d, open := &door{}, &board{state: stateOpen}
	for _, step := range []struct {
		name string
		left int
		mark gate.Mark
		want bool
	}{
		{"none left", 0, gate.Mark{Epoch: 1, Moves: 900}, true},
		{"an older look", 1, gate.Mark{Epoch: 1, Moves: 899}, true},
		{"the rebuilt gate", 1, gate.Mark{Epoch: 2, Moves: 0}, false},
		{"a late look at the old gate", 0, gate.Mark{Epoch: 1, Moves: 901}, false},
		{"the next move", 0, gate.Mark{Epoch: 2, Moves: 1}, true},
	} {
		d.observe(gate.Snapshot{Total: 1, Left: step.left, Mark: step.mark})
		if got := d.nothingLeft(open); got != step.want {
			t.Errorf("%s: nothing left %t, want %t", step.name, got, step.want)
		}
	}
}

// TestDue: a sale is looked at often from shortly before its doors until the
// last hold has run out.
func TestDue(t *testing.T) {
	t.Parallel()
	now := time.Now()
	const hold = 10 * time.Minute
	for _, test := range []struct {
		name          string
		doors, closes time.Duration // from now
		state         string        // empty: no board yet
		want          time.Duration
	}{
		{"no board yet", time.Hour, 2 * time.Hour, "", tickEvery},
		{"long before its doors", time.Hour, 2 * time.Hour, stateScheduled, idleEvery},
		{"shortly before its doors", time.Minute, time.Hour, stateScheduled, tickEvery},
		{"open", -time.Hour, time.Hour, stateOpen, tickEvery},
		{"ended, with holds", -time.Hour, -hold / 2, stateEnded, tickEvery},
		{"over", -time.Hour, -hold - time.Second, stateEnded, idleEvery},
		{"over, sold out", -time.Hour, -hold - time.Second, stateSoldOut, idleEvery},
	} {
		d := &door{sale: &configs.Sale{Doors: now.Add(test.doors), Closes: now.Add(test.closes), Hold: hold}}
		if test.state != "" {
			d.board.Store(&board{state: test.state, line: &queueing.Snapshot{Now: now}, taken: now})
		}
		if !d.due(now) || d.due(now.Add(test.want-1)) || !d.due(now.Add(test.want)) {
			t.Errorf("%s: the next look is due in %v, want %v", test.name, d.next.Sub(now), test.want)
		}
	}
}

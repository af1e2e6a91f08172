package proxy

import (
	"testing"

	"github.com/waitroom/waitroom/gate"
)

// TestObserve: the newest state of the gate decides whether anything is left,
// in whatever order its answers arrive, and a rebuilt gate is newer than any
// before.
func TestObserve(t *testing.T) {
	t.Parallel()
	d, open := &door{}, &board{state: stateOpen}
	for _, step := range []struct {
		name   string
		left   int
		mark   gate.Mark
		want   bool
		newest gate.Mark
	}{
		{"none left", 0, gate.Mark{Epoch: 1, Moves: 900}, true, gate.Mark{Epoch: 1, Moves: 900}},
		{"an older look", 1, gate.Mark{Epoch: 1, Moves: 899}, true, gate.Mark{Epoch: 1, Moves: 900}},
		{"the rebuilt gate", 1, gate.Mark{Epoch: 2, Moves: 0}, false, gate.Mark{Epoch: 2, Moves: 0}},
		{"a late look at the old gate", 0, gate.Mark{Epoch: 1, Moves: 901}, false, gate.Mark{Epoch: 2, Moves: 0}},
		{"the next move", 0, gate.Mark{Epoch: 2, Moves: 1}, true, gate.Mark{Epoch: 2, Moves: 1}},
	} {
		d.observe(gate.Snapshot{Total: 1, Left: step.left, Mark: step.mark})
		if got := d.nothingLeft(open); got != step.want || d.newest() != step.newest {
			t.Errorf("%s: nothing left %t at %+v, want %t at %+v", step.name, got, d.newest(), step.want, step.newest)
		}
	}
}

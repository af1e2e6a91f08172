package chaos_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A fault is something that goes wrong in a round.
type fault struct {
	name string
	on   []*topology // nil: any

	prepare func(*round)             // before the workers and edges know their stores
	hit     func(*round, *rand.Rand) // returns when all is up again; nil: the round begins with it

	damages       bool // the gate's own keys disagree until the reconciler has mended them
	strays        bool // the unit of a late payment may be nobody's until the reconciler has come by
	wholePostgres bool // it is of a whole Postgres server
}

// scenario is what goes wrong in a round, and on what.
type scenario struct {
	*topology
	faults []fault
}

func (s scenario) String() string {
	names := []string{}
	for _, f := range s.faults {
		names = append(names, f.name)
	}
	return s.topology.name + ": " + strings.Join(names, ", ")
}

// scenarios are every fault on every topology.
var scenarios = func() (all []scenario) {
	for _, t := range []*topology{&single, &sentinel, &cluster} {
		for _, f := range faults {
			if f.on == nil || slices.Contains(f.on, t) {
				all = append(all, scenario{t, []fault{f}})
			}
		}
	}
	return all
}()

// scenarioOf is the scenario of a seed: all are played in turn, each time beside
// another fault of what is between the programs and their stores.
func scenarioOf(seed uint64) scenario {
	n := uint64(len(scenarios))
	s := scenarios[seed%n]
	beside := wears[(seed%n+seed/n)%uint64(len(wears))]
	return scenario{s.topology, []fault{s.faults[0], beside}}
}

// few are seeds from one on that play every fault once, and among them every
// topology and every fault of the second kind.
func few(seed uint64) (seeds []uint64) {
	playing := map[string][]uint64{} // fault → seeds
	for s := seed; s < seed+uint64(len(scenarios)); s++ {
		name := scenarioOf(s).faults[0].name
		playing[name] = append(playing[name], s)
	}
	played := map[string]int{} // topologies and faults of the second kind
	newest := func(s uint64) int { c := scenarioOf(s); return played[c.topology.name] + 3*played[c.faults[1].name] }
	for _, f := range faults {
		s := slices.MinFunc(playing[f.name], func(a, b uint64) int { return newest(a) - newest(b) })
		c := scenarioOf(s)
		played[c.topology.name]++
		played[c.faults[1].name]++
		seeds = append(seeds, s)
	}
	return seeds
}

func TestFew_PlayEveryFaultAndTopology(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		played := map[string]int{}
		for _, s := range few(seed) {
			c := scenarioOf(s)
			played[c.topology.name]++
			for _, f := range c.faults {
				played[f.name]++
			}
		}
		for _, f := range faults {
			if played[f.name] != 1 {
				t.Errorf("from seed %d on: %q is played %d times, want once", seed, f.name, played[f.name])
			}
		}
		for _, f := range wears {
			if played[f.name] == 0 {
				t.Errorf("from seed %d on: %q is not played", seed, f.name)
			}
		}
		for _, top := range []topology{single, sentinel, cluster} {
			if played[top.name] < 3 {
				t.Errorf("from seed %d on: %s is played %d times, want 3 or more", seed, top.name, played[top.name])
			}
		}
	}
}

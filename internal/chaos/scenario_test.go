package chaos_test

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// A fault is something that goes wrong in a round.
type fault struct {
	name string
	on   []*topology // nil: any

	prepare func(*round)             // before the workers and edges know their stores
	hit     func(*round, *rand.Rand) // returns when all is up again; nil: the round begins with it
	forgets bool                     // Redis forgets, with or without the gate noticing

	damages       bool // the gate's own keys disagree until the reconciler has mended them
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

// first is every fault on every topology.
var first = func() (all []scenario) {
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
	n := uint64(len(first))
	s := first[seed%n]
	beside := wears[(seed%n+seed/n)%uint64(len(wears))]
	return scenario{s.topology, []fault{s.faults[0], beside}}
}

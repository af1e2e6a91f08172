package configs

import (
	"fmt"
	"slices"
	"time"
)

// Overruled is a key of which a sale's file says something else than what is in
// force, or a sale in force that no file has.
type Overruled struct {
	Sale string // its ID
	Fault
}

// Under is the configuration with what is in force of its sales: terms of at most
// one run of each. Sales of which there are none stay as they are. A run in force
// stays until it is over, then the file is right again.
func (c *Config) Under(terms []Terms) *Config {
	next := *c
	next.Sales, next.gone = slices.Clone(c.Sales), nil
	for _, t := range terms {
		i := slices.IndexFunc(next.Sales, func(s Sale) bool { return s.ID == t.ID() })
		if i < 0 {
			next.gone = append(next.gone, t)
			continue
		}
		next.Sales[i] = next.Sales[i].under(t)
	}
	inOrder(next.Sales)
	return &next
}

// Overruled gives all that the files say and that is not in force, in the order of
// the sales, and what is in force.
func (c *Config) Overruled() (all []Overruled) {
	for i := range c.Sales {
		for _, f := range c.Sales[i].Overruled() {
			all = append(all, Overruled{c.Sales[i].ID, f})
		}
	}
	for _, t := range c.gone {
		wrong := fmt.Sprintf("sale %q is open until %s %s, and no file has it", t.ID(), t.clock(t.Closes), t.Zone)
		all = append(all, Overruled{t.ID(), c.src.fault("sales", wrong, "put its file back")})
	}
	return all
}

// overrulesOpen reports whether something is overruled of a sale that is open.
func (c *Config) overrulesOpen(now time.Time) bool {
	return len(c.gone) > 0 || slices.ContainsFunc(c.Sales, func(s Sale) bool { return s.isOpen(now) && len(s.Overruled()) > 0 })
}

// Overruled gives what the sale's file says and is not in force.
func (s *Sale) Overruled() (all Faults) {
	if s.written == nil {
		return nil
	}
	in := s.InForce()
	for _, d := range in.contradicts(*s.written) {
		all = append(all, s.overruled(d, in))
	}
	return all
}

// overruled is a contradiction as a fault of the sale's file.
func (s *Sale) overruled(d contradiction, in Terms) Fault {
	says, right := d.file, "change it back to "+d.force
	if says == "" {
		says = "not there"
	}
	switch {
	case d.force == "":
		right = "leave it out"
	case d.key == "invitations":
		right = fewer(d.force)
	}
	wrong := fmt.Sprintf("%s, but the sale goes on with %s until it closes at %s", says, d.before(), in.clock(in.Closes))
	f := s.src.fault(d.key, wrong, right)
	f.File = s.File
	return f
}

// heldAs is a configuration just read in which those sales whose files still say
// what was overruled in the one that runs are overruled again.
func (c *Config) heldAs(running *Config) *Config {
	var terms []Terms
	for i := range running.Sales {
		s := &running.Sales[i]
		same := func(n Sale) bool { return s.written != nil && n.ID == s.ID && n.InForce() == *s.written }
		if slices.ContainsFunc(c.Sales, same) {
			terms = append(terms, s.InForce())
		}
	}
	next := c.Under(terms)
	for _, t := range running.gone {
		if !slices.ContainsFunc(c.Sales, func(s Sale) bool { return s.ID == t.ID() }) {
			next.gone = append(next.gone, t)
		}
	}
	return next
}

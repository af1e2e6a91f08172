package configs

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Terms are what of a sale holds from its doors to its closing, whatever becomes
// of its file: shoppers were told it, or units lie about by it. The books have
// them, so that they hold over restarts too.
type Terms struct {
	Key         string    `json:"key"`
	Zone        string    `json:"zone"`
	Repeat      string    `json:"repeat,omitempty"`
	Doors       time.Time `json:"doors"`
	Opens       time.Time `json:"opens"`
	Closes      time.Time `json:"closes"` // may change with the file, unless the other times do
	Mix         string    `json:"mix,omitempty"`
	Price       Money     `json:"price,omitzero"`
	Buckets     int       `json:"buckets"`
	Invitations int       `json:"invitations,omitempty"` // may become fewer
}

// InForce is what holds of the sale.
func (s *Sale) InForce() Terms {
	return Terms{
		Key: s.Key, Zone: s.Zone.String(), Repeat: s.Repeat, Doors: s.Doors, Opens: s.Opens, Closes: s.Closes,
		Mix: s.Mix, Price: s.Price, Buckets: s.Buckets, Invitations: s.Invitations,
	}.plain()
}

// Written is what the sale's file says, in force or not (see Config.Under).
func (s *Sale) Written() Terms {
	if s.written != nil {
		return *s.written
	}
	return s.InForce()
}

// plain is the terms in a form that == compares: instants in UTC, to the millisecond.
func (t Terms) plain() Terms {
	for _, at := range []*time.Time{&t.Doors, &t.Opens, &t.Closes} {
		*at = at.Round(0).UTC().Truncate(time.Millisecond)
	}
	return t
}

// ID is the sale's name without the run.
func (t Terms) ID() string {
	id, _, _ := strings.Cut(t.Key, "@")
	return id
}

// Open reports whether an instant is between doors and closing.
func (t Terms) Open(now time.Time) bool { return !now.Before(t.Doors) && now.Before(t.Closes) }

// SameRun reports whether two terms are of one run: under one key, at the same
// times but for the closing.
func (t Terms) SameRun(other Terms) bool {
	return t.Key == other.Key && t.Doors.Equal(other.Doors) && t.Opens.Equal(other.Opens)
}

// under is the sale with terms in force that its file may contradict. What may
// change while a sale is open, the file says: fewer invitations, and the closing
// of the same run.
func (s *Sale) under(in Terms) Sale {
	file := s.Written()
	in = in.plain()
	if file.SameRun(in) {
		in.Closes = file.Closes
	}
	in.Invitations = min(in.Invitations, file.Invitations)
	held := *s
	held.written = nil
	held.put(in)
	if in != file {
		held.written = &file
	}
	return held
}

// put makes terms those of the sale.
func (s *Sale) put(t Terms) {
	if loc, err := time.LoadLocation(t.Zone); err == nil {
		s.Zone = loc
	}
	s.Key, s.Repeat, s.Mix, s.Price, s.Buckets, s.Invitations = t.Key, t.Repeat, t.Mix, t.Price, t.Buckets, t.Invitations
	s.Doors, s.Opens, s.Closes = t.Doors, t.Opens, t.Closes
}

// A contradiction is a key of which a file says something else than what is in force.
type contradiction struct {
	key, file, force string // as the file writes it; empty: it is not there
}

// before is what is in force, for a reader.
func (c contradiction) before() string {
	switch {
	case c.key == "repeat", c.key == "mix":
		return fmt.Sprintf("%q", c.force)
	default:
		return cmp.Or(c.force, "not there")
	}
}

// contradicts gives what a file says otherwise than the terms in force of its sale.
func (t Terms) contradicts(file Terms) (all []contradiction) {
	say := func(key, says, force string) {
		if says != force {
			all = append(all, contradiction{key, says, force})
		}
	}
	say("repeat", file.Repeat, t.Repeat)
	say("timezone", file.Zone, t.Zone)
	if file.Repeat == t.Repeat {
		say("doors", file.clock(file.Doors), t.clock(t.Doors))
		say("opens", file.clock(file.Opens), t.clock(t.Opens))
	}
	say("mix", file.Mix, t.Mix)
	say("price", file.Price.String(), t.Price.String())
	say("buckets", fmt.Sprint(file.Buckets), fmt.Sprint(t.Buckets))
	if file.Invitations > t.Invitations {
		say("invitations", fmt.Sprint(file.Invitations), strings.TrimPrefix(fmt.Sprint(t.Invitations), "0"))
	}
	return all
}

// clock is an instant as the sale's file would write it.
func (t Terms) clock(at time.Time) string {
	loc, err := time.LoadLocation(t.Zone)
	if err != nil {
		loc = time.UTC
	}
	return at.In(loc).Format(localForm)
}

package gate

import "fmt"

// assemble makes one picture of all buckets. seen are the newest marks known before
// they were asked.
func assemble(parts []part, seen []Mark) collection {
	c := collection{parts: parts}
	s := &c.snap
	s.Total = parts[0].sale
	for i, p := range parts {
		s.Left += p.stock
		s.Paid += p.paid
		s.Backlog += p.backlog
		s.Won += p.won
		s.Lapsed += p.lapsed
		s.Missing = s.Missing || !p.built
		s.Floor = max(s.Floor, p.floor)
		s.Mark.Epoch = max(s.Mark.Epoch, p.mark.Epoch)
		if p.built && p.mark.Before(seen[i]) {
			s.Floor = max(s.Floor, seen[i].Epoch)
		}
	}
	for _, p := range parts {
		if p.mark.Epoch == s.Mark.Epoch {
			s.Mark.Moves += p.mark.Moves
		}
	}
	s.Closed = closedBy(parts, seen)
	if s.Open() {
		s.Transit, c.back, c.outran = transit(parts)
		s.Left -= c.back
	}
	s.Left = max(0, s.Left)
	return c
}

// closedBy says why a gate of these buckets sells nothing: the reason of all, or
// what is wrong with some.
func closedBy(parts []part, seen []Mark) string {
	var why string
	closed := 0
	for _, p := range parts {
		if p.closed == "" {
			continue
		}
		if closed++; why == "" {
			why = p.closed
		}
		if p.closed != why { // two closed it at once
			closed = -len(parts)
		}
	}
	switch {
	case closed == len(parts):
		return why
	case why != "":
		return fmt.Sprintf("%s (not all of %d buckets)", why, len(parts))
	}
	for i, p := range parts {
		switch {
		case p.built && p.buckets != len(parts):
			return fmt.Sprintf("built in %d buckets, not in %d", p.buckets, len(parts))
		case p.built && p.mark.Epoch != parts[0].mark.Epoch && parts[0].built:
			return "its buckets are of different rebuilds"
		case p.built && p.mark.Before(seen[i]):
			return olderThanSeen
		}
	}
	return ""
}

const olderThanSeen = "older than one already seen"

// transit counts the units that were given and not yet taken. back are units that
// the picture has twice, since the giver was asked before it gave them and the
// receiver after it took them.
func transit(parts []part) (units, back int, outran bool) {
	for i, donor := range parts {
		for j := range parts {
			gave, took := donor.gave[j], parts[j].took[i]
			switch {
			case gave.number == took.number:
			case gave.number == took.number+1:
				units += gave.units
			case gave.number+1 == took.number:
				back += took.units
			default:
				outran = true
			}
		}
	}
	return units, back, outran
}

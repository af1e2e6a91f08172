package gate

// share is what one bucket is rebuilt from: the orders that are at home in it, the
// bindings of the tickets that are, and its part of what is left.
type share struct {
	live            []Live
	ties            []tie
	out, left, paid int // units
}

// tie is a ticket's binding to an account whose home is another.
type tie struct{ ticket, account string }

// share divides contents among the buckets.
func (g *Gate) share(c Contents) []share {
	shares := make([]share, len(g.buckets))
	for _, l := range c.Live {
		home, ticket := g.home(l.Account), g.home(l.Ticket)
		s := &shares[home]
		s.live = append(s.live, l)
		s.out += l.Qty
		if l.Note.Status == Paid {
			s.paid += l.Qty
		}
		if ticket != home {
			shares[ticket].ties = append(shares[ticket].ties, tie{l.Ticket, l.Account})
		}
	}
	out := make([]int, len(shares))
	for i, s := range shares {
		out[i] = s.out
	}
	for i, left := range split(c.Total, out) {
		shares[i].left = left
	}
	return shares
}

// split divides what is left of a total among buckets that have so many units out:
// evenly, the first ones getting what does not divide. Where more is out than there
// is, buckets owe up to what they have out, so that what comes back makes up for it.
func split(total int, out []int) (left []int) {
	left = make([]int, len(out))
	rest := total
	for _, n := range out {
		rest -= n
	}
	for i, n := range out {
		if rest < 0 {
			left[i] = -min(n, -rest)
			rest -= left[i]
		} else {
			left[i] = (rest + len(out) - 1 - i) / len(out)
		}
	}
	return left
}

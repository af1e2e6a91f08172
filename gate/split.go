package gate

import "encoding/json"

// plan is what each bucket is rebuilt from: the orders that are at home in it, the
// bindings of the tickets that are, and its share of what is left.
func (g *Gate) plan(why string, c Contents, rest bool) ([]ask, error) {
	n := len(g.buckets)
	live, binds, out := make([][]Live, n), make([]map[string]string, n), make([]int, n)
	for i := range binds {
		binds[i] = map[string]string{}
	}
	for _, l := range c.Live {
		home, ticket := g.home(l.Account), g.home(l.Ticket)
		live[home] = append(live[home], l)
		out[home] += l.Qty
		if ticket != home {
			binds[ticket][l.Ticket] = l.Account
		}
	}
	asks := make([]ask, 0, n)
	for i, left := range split(c.Total, out) {
		orders, err := json.Marshal(wireLive(live[i]))
		if err != nil {
			return nil, err
		}
		tickets, err := json.Marshal(binds[i])
		if err != nil {
			return nil, err
		}
		asks = append(asks, ask{i, []any{why, c.Epoch, out[i] + left, orders, n, c.Total, tickets, rest}})
	}
	return asks, nil
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
		} else {
			left[i] = (rest + len(out) - 1 - i) / len(out)
			continue
		}
		rest -= left[i]
	}
	return left
}

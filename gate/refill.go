package gate

import (
	"cmp"
	"context"
	"slices"
)

// gift is what a donor is asked for.
type gift struct {
	donor, units int
}

// refill brings units to a bucket that has fewer than it needs: what is on its way
// to it already, else half of the richest bucket's while much is left, else just
// what is needed, from as many buckets as it takes. When all buckets are poor a
// unit is where one look finds it, and two steps away. It fails with ErrSoldOut
// and the mark when there was a moment at which all buckets and all transfers
// together had less; without an error it is worth trying again.
func (g *Gate) refill(ctx context.Context, bucket, need int) (Mark, error) {
	now, err := g.gather(ctx)
	if err != nil {
		return Mark{}, err
	}
	if !now.snap.Open() {
		return Mark{}, ErrClosed
	}
	if now.offers(need) {
		return Mark{}, g.bring(ctx, now, bucket, need)
	}
	less, mark, err := g.confirm(ctx, now)
	if less {
		err = ErrSoldOut
	}
	return mark, err
}

// confirm looks again and reports whether there was a moment at which there was no
// more than the picture shows, and the mark of it.
func (g *Gate) confirm(ctx context.Context, c collection) (bool, Mark, error) {
	next, err := g.gather(ctx)
	return err == nil && next.snap.Open() && c.confirms(next), next.snap.Mark, err
}

// bring takes the steps towards so many units in a bucket that a picture shows.
func (g *Gate) bring(ctx context.Context, c collection, bucket, need int) error {
	if c.parts[bucket].stock >= need {
		return nil // somebody was faster
	}
	var coming, others []owed
	for _, o := range c.owing() {
		if o.receiver == bucket {
			coming = append(coming, o)
		} else {
			others = append(others, o)
		}
	}
	gifts := gifts(stocks(c.parts), bucket, need-c.parts[bucket].stock-sum(coming))
	if len(gifts) > 0 {
		given, err := g.give(ctx, c, bucket, gifts)
		if err != nil {
			return err
		}
		coming = append(coming, given...)
	}
	if len(coming) == 0 {
		coming = others // they hold what is missing here: the next look finds it there
	}
	if len(coming) == 0 {
		return nil // the donors have given it to others
	}
	return g.credit(ctx, c.snap.Mark.Epoch, coming)
}

// gifts says whom to ask for how much, so that a bucket gets what it lacks. stock
// is that of each bucket.
func gifts(stock []int, bucket, lacks int) (all []gift) {
	left := 0
	var donors []int
	for i, n := range stock {
		if n > 0 && i != bucket {
			donors = append(donors, i)
			left += n
		}
	}
	slices.SortStableFunc(donors, func(a, b int) int { return cmp.Compare(stock[b], stock[a]) })
	for _, i := range donors {
		if lacks <= 0 {
			break
		}
		units := min(lacks, stock[i])
		if left > len(stock) { // else they would be parked where nobody may come for them
			units = max(units, stock[i]/2)
		}
		all = append(all, gift{i, units})
		lacks -= units
	}
	return all
}

func stocks(parts []part) []int {
	all := make([]int, len(parts))
	for i, p := range parts {
		all[i] = p.stock
	}
	return all
}

func sum(all []owed) (units int) {
	for _, o := range all {
		units += o.units
	}
	return units
}

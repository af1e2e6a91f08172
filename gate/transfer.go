package gate

import (
	"context"
	"maps"
	"slices"
)

// Units go from one bucket to another in two steps. The donor takes them out of its
// stock and numbers the transfer, in one script; the receiver credits the next
// number of each donor, once, in another. Between the two the donor's record is the
// units: a crash loses nothing, whoever finds the record may take the second step,
// and a late copy of it finds its number taken. There is no third step: the donor
// gives the next time only to whom the last one has reached.

// owed is a transfer that is on its way.
type owed struct {
	donor, receiver int
	transfer
}

// owing are the transfers of a picture that are on their way.
func (c collection) owing() (all []owed) {
	for i, donor := range c.parts {
		for _, j := range slices.Sorted(maps.Keys(donor.gave)) {
			if j < len(c.parts) && donor.gave[j].number > c.parts[j].took[i].number {
				all = append(all, owed{i, j, donor.gave[j]})
			}
		}
	}
	return all
}

// lying are the transfers that were on their way in two pictures: whoever began
// them may not be there to end them.
func lying(before, now collection) (late []owed) {
	if before.snap.Mark.Epoch != now.snap.Mark.Epoch || !before.snap.Open() {
		return nil
	}
	old := before.owing()
	for _, o := range now.owing() {
		if slices.Contains(old, o) {
			late = append(late, o)
		}
	}
	return late
}

// forgets reports whether a bucket is an older copy of what an earlier picture shows:
// a donor gives before its receiver takes, and gives the next time only what is behind
// that.
func forgets(before, now collection) bool {
	if before.parts == nil || !before.snap.Open() || !now.snap.Open() || before.snap.Mark.Epoch != now.snap.Mark.Epoch {
		return false
	}
	for i, donor := range before.parts {
		for j, receiver := range before.parts {
			if now.parts[i].gave[j].number < receiver.took[i].number || now.parts[j].took[i].number+1 < donor.gave[j].number {
				return true
			}
		}
	}
	return false
}

// give takes units out of the donors, in one round trip, and returns what is on
// its way to the receiver now.
func (g *Gate) give(ctx context.Context, c collection, receiver int, gifts []gift) ([]owed, error) {
	asks := make([]ask, 0, len(gifts))
	for _, x := range gifts {
		asks = append(asks, ask{x.donor, []any{receiver, x.units, c.parts[receiver].took[x.donor].number, c.snap.Mark.Epoch}})
	}
	answers, err := g.askAll(ctx, scriptGive, asks)
	if err != nil {
		return nil, err
	}
	var given []owed
	for i, r := range answers {
		o := owed{donor: gifts[i].donor, receiver: receiver}
		if err := r.ok(&o.number, &o.units); err != nil {
			return nil, err
		}
		if o.units > 0 {
			given = append(given, o)
		}
	}
	return given, nil
}

// credit takes the second step of transfers of one epoch, in one round trip.
func (g *Gate) credit(ctx context.Context, epoch uint64, all []owed) error {
	to := make(map[int][]any)
	for _, o := range all {
		if to[o.receiver] == nil {
			to[o.receiver] = []any{epoch}
		}
		to[o.receiver] = append(to[o.receiver], o.donor, o.number, o.units)
	}
	var asks []ask
	for _, receiver := range slices.Sorted(maps.Keys(to)) {
		asks = append(asks, ask{receiver, to[receiver]})
	}
	answers, err := g.askAll(ctx, scriptTake, asks)
	if err != nil {
		return err
	}
	for _, r := range answers {
		if err := r.ok(); err != nil {
			return err
		}
	}
	return nil
}

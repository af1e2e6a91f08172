package gate

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// part is the state of one bucket.
type part struct {
	built   bool
	mark    Mark
	total   int
	stock   int // below zero while more is out than there is
	paid    int
	backlog int
	closed  string
	floor   uint64
	buckets int // in how many it was built
	sale    int // units of the whole sale; what the first bucket says counts
	rises   uint64
	won     uint64
	lapsed  uint64
	gave    map[int]transfer // the last one to each bucket
	took    map[int]transfer // the last one from each
}

// transfer is so many units on their way to a bucket: the nth of its donor.
type transfer struct {
	number uint64
	units  int
}

// readPart reads what lua/look.lua answers.
func readPart(r reply) (p part, err error) {
	var gave, took string
	err = r.ok(&p.built, &p.mark.Epoch, &p.mark.Moves, &p.total, &p.stock, &p.paid, &p.backlog, &p.closed,
		&p.floor, &p.buckets, &p.sale, &p.rises, &p.won, &p.lapsed, &gave, &took)
	if err == nil {
		p.gave, err = readTransfers(gave)
	}
	if err == nil {
		p.took, err = readTransfers(took)
	}
	if err != nil {
		return part{}, err // a zero state would be one that is open and sold out
	}
	return p, nil
}

// readTransfers reads bucket, number and units of each.
func readTransfers(text string) (map[int]transfer, error) {
	fields := strings.Fields(text)
	if len(fields)%3 != 0 {
		return nil, fmt.Errorf("read reply: transfers %q", text)
	}
	all := make(map[int]transfer, len(fields)/3)
	for i := 0; i < len(fields); i += 3 {
		bucket, errB := strconv.Atoi(fields[i])
		number, errN := strconv.ParseUint(fields[i+1], 10, 64)
		units, errU := strconv.Atoi(fields[i+2])
		if errB != nil || errN != nil || errU != nil {
			return nil, fmt.Errorf("read reply: transfers %q", text)
		}
		all[bucket] = transfer{number, units}
	}
	return all, nil
}

// collection is what one round trip told of every bucket.
type collection struct {
	parts  []part
	snap   Snapshot
	back   int  // units that the parts have twice, see transit
	outran bool // by transfers, so that units may be missing in it
}

// collects is how often buckets are asked at most while transfers outrun the asking.
const collects = 3

// collect reads every bucket in one round trip, and again if transfers outran it. A
// picture that stays askew is of a bucket that has forgotten some: it closes the gate.
func (g *Gate) collect(ctx context.Context) (now collection, err error) {
	var before collection
	for try := 1; ; try++ {
		if now, err = g.askParts(ctx); err != nil {
			return collection{}, err
		}
		switch {
		case forgets(before, now):
			if err := g.condemn(ctx, now.snap.Mark.Epoch, "a bucket forgot what it gave or took"); err != nil {
				return collection{}, err
			}
		case !now.outran && now.back == 0 || try >= collects:
			return now, nil
		}
		before = now
	}
}

// askParts reads every bucket once.
func (g *Gate) askParts(ctx context.Context) (collection, error) {
	seen := g.newestAll()
	answers, err := g.each(ctx, g.all(), scriptLook)
	if err != nil {
		return collection{}, err
	}
	parts := make([]part, len(answers))
	for i, r := range answers {
		if parts[i], err = readPart(r); err != nil {
			return collection{}, err
		}
	}
	return assemble(parts, seen), nil
}

// offers reports whether there may be so many units: of several buckets each was
// asked in its own moment.
func (c collection) offers(units int) bool { return c.outran || c.snap.Offered() >= units }

// confirms reports whether no bucket's stock grew between two collections, of
// which c was first: then c saw the most that there was in all of them together at
// any one moment between the two. Of one bucket there is no doubt.
func (c collection) confirms(next collection) bool {
	if len(next.parts) == 1 {
		return true
	}
	if len(c.parts) != len(next.parts) || c.outran || !c.snap.Open() || c.snap.Mark.Epoch != next.snap.Mark.Epoch {
		return false
	}
	for i, p := range c.parts {
		if p.rises != next.parts[i].rises {
			return false
		}
	}
	return true
}

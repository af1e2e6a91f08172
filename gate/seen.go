package gate

import (
	"context"
	"fmt"
)

// newest is the newest state of a bucket that this Gate knows of. Where another
// bucket was seen in a later rebuild, this one must be of it too: none opens before
// all are rebuilt.
func (g *Gate) newest(bucket int) (m Mark, stamp uint64) {
	m = g.newestAll()[bucket]
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.seen[bucket] == m {
		stamp = g.stamps[bucket]
	}
	return m, stamp
}

func (g *Gate) newestAll() []Mark {
	g.mu.Lock()
	defer g.mu.Unlock()
	var epoch uint64
	for _, m := range g.seen {
		epoch = max(epoch, m.Epoch)
	}
	all := make([]Mark, len(g.seen))
	for i, m := range g.seen {
		if all[i].Epoch = epoch; m.Epoch == epoch {
			all[i] = m
		}
	}
	return all
}

// saw remembers a state that an open bucket was in.
func (g *Gate) saw(bucket int, m Mark, stamp uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.seen[bucket].Before(m) {
		g.seen[bucket], g.stamps[bucket] = m, stamp
	}
}

// Sight is a state in which a bucket was seen. Stamp says when it came to be, by the
// bucket's own clock; zero when that is not known.
type Sight struct {
	Mark
	Stamp uint64
}

// Seen is the newest state of each bucket that this Gate knows of: what to keep for
// Remember.
func (g *Gate) Seen() []Sight {
	all := make([]Sight, len(g.buckets))
	for i := range all {
		all[i].Mark, all[i].Stamp = g.newest(i)
	}
	return all
}

// Remember tells what somebody saw of each bucket, as Seen gave it. Who has seen
// nothing yet can so notice that a bucket is an older copy. What was seen of another
// number of buckets says nothing of these.
func (g *Gate) Remember(seen []Sight) {
	if len(seen) != len(g.buckets) {
		return
	}
	for i, s := range seen {
		g.saw(i, s.Mark, s.Stamp)
	}
}

// Retrace is Remember for a Gate that may have seen newer states of a bucket before it
// is told what somebody saw. An older copy can have made as many moves of its own by
// then, and looks newer: so each bucket is asked whether its past has what was seen,
// and is closed if not.
func (g *Gate) Retrace(ctx context.Context, seen []Sight) error {
	if len(seen) != len(g.buckets) {
		return nil
	}
	g.Remember(seen)
	for i, s := range seen {
		if err := g.retrace(ctx, i, s); err != nil {
			return fmt.Errorf("retrace gate: %w", err)
		}
	}
	return nil
}

func (g *Gate) retrace(ctx context.Context, bucket int, s Sight) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := g.read(bucket, scriptLook.Run(ctx, g.rdb, g.buckets[bucket].all(), len(g.buckets), s.Epoch, s.Moves, s.Stamp))
	return err
}

// whole is the mark of all buckets together, as far as it is known.
func (g *Gate) whole() (m Mark) {
	for _, one := range g.newestAll() {
		m.Epoch = one.Epoch
		m.Moves += one.Moves
	}
	return m
}

// remembered is the last collection of a Look.
func (g *Gate) remembered() collection {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.last
}

func (g *Gate) remember(c collection) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = c
}

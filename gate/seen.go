package gate

// newest is the newest state of a bucket that this Gate knows of. Where another
// bucket was seen in a later rebuild, this one must be of it too: none opens before
// all are rebuilt.
func (g *Gate) newest(bucket int) Mark { return g.newestAll()[bucket] }

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
func (g *Gate) saw(bucket int, m Mark) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.seen[bucket].Before(m) {
		g.seen[bucket] = m
	}
}

// sawOpen remembers the buckets that are open: each is so on its own, see newest.
func (g *Gate) sawOpen(parts []part) {
	for i, p := range parts {
		if p.built && p.closed == "" && p.buckets == len(parts) {
			g.saw(i, p.mark)
		}
	}
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

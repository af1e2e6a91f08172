package gate

// newest is the newest state of a bucket that this Gate knows of.
func (g *Gate) newest(bucket int) Mark {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen[bucket]
}

// saw remembers a state that an open bucket was in.
func (g *Gate) saw(bucket int, m Mark) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.seen[bucket].Before(m) {
		g.seen[bucket] = m
	}
}

package origin

// Standard makes a pool that has sent nothing yet one without direct connections.
func (p *Pool) Standard() *Pool {
	p.standard = true
	return p
}

// Direct makes it one with them.
func (p *Pool) Direct() *Pool {
	p.standard = false
	return p
}

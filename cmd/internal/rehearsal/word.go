package rehearsal

// tell gives a shopper who is there the last word, at a moment.
func (p *play) tell(i uint32, a answer, at moment) {
	p.dismiss(i, a)
	p.report.lastTold(at)
}

// dismiss gives the last word to a shopper who may come long after it is known.
func (p *play) dismiss(i uint32, a answer) {
	s := &p.crowd[i]
	if s.stage == called {
		p.checks.waited(s, p.now)
	}
	s.answer = a
	p.told[a]++
	p.back(s)
	p.move(i, gone)
}

// final is the word for everybody once the sale is over.
func (p *play) final() answer {
	if p.soldOut {
		return toldSoldOut
	}
	return toldEnded
}

// tellAll tells everybody who is still there, when their page asks next. Closed
// pages are told nothing until they are opened again.
func (p *play) tellAll(a answer) {
	for i := range p.crowd {
		switch s := &p.crowd[i]; s.stage {
		case waiting, called, stranded, admitted:
			if !s.away {
				p.tell(uint32(i), a, p.finds(p.distance(uint32(i))))
			}
		case lottery: // finds out at the first look, which is planned
		}
	}
}

// tellTail tells those who have become hopeless since, and calls back those who
// have a chance again, in the order of their places.
func (p *play) tellTail(from uint64) {
	last := p.from
	p.from = from
	for place := from; place < last; place++ {
		if who := p.byPlace[place]; who > 0 && p.crowd[who-1].stage == waiting && !p.crowd[who-1].away {
			p.report.HopelessLater++
			p.shed(who-1, p.finds(p.distance(who-1)))
		}
	}
	for place := last; place < from; place++ {
		if who := p.byPlace[place]; who > 0 && p.crowd[who-1].stage == shed {
			p.recall(who - 1)
		}
	}
}

// shed tells a shopper that it is hopeless, at a moment. Their page stays open.
func (p *play) shed(i uint32, at moment) {
	p.crowd[i].answer = toldHopeless
	p.told[toldHopeless]++
	p.move(i, shed)
	p.report.lastTold(at)
}

// recall tells one of them that there is a chance again.
func (p *play) recall(i uint32) {
	p.crowd[i].answer, p.crowd[i].again = noAnswer, true
	p.told[toldHopeless]--
	p.report.CalledBack++
	p.move(i, waiting)
}

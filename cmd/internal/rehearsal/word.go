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

// tellTail tells those who have become hopeless since.
func (p *play) tellTail() {
	tail := p.tail
	if p.hopelessFrom < tail { // the sum could be too large else
		tail = min(tail, p.line.Head+p.hopelessFrom)
	}
	for place := tail; place < p.tail && place < uint64(len(p.byPlace)); place++ {
		who := p.byPlace[place]
		if who > 0 && p.crowd[who-1].stage == waiting && !p.crowd[who-1].away {
			p.tell(who-1, toldHopeless, p.finds(p.distance(who-1)))
		}
	}
	p.tail = tail
}

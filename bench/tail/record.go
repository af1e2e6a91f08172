package main

import (
	"slices"

	"github.com/waitroom/waitroom/shedding"
)

// record is what became of one sale.
type record struct {
	sale
	from  int     // places from here on are hopeless now
	least int     // places from here on were told so at some time
	told  []since // how that came
	backs [][2]int

	looks   int // how often places were watched
	watched map[int]bool
	said    []saying

	ended      float64
	willing    float64 // of those told: who would have bought
	got        int     // of those told: who got a unit
	sold, left int
	idle       int // units left over when nothing moved any more, though somebody willing waited
}

// since says that places from one on were told at a moment.
type since struct {
	at    float64
	place int
}

// saying is a word that was said of a place whose shopper wants to buy.
type saying struct {
	place int
	word  shedding.Word
	got   bool
}

// look takes down what is told now.
func (r *record) look(p *play) {
	head, from := int(p.line.head), r.line
	if ahead, ok := p.tail.HopelessAhead(uint64(head)); ok {
		from = int(min(uint64(head)+ahead, uint64(r.line)))
	}
	if from < r.least {
		r.least = from
		r.told = append(r.told, since{p.now, from})
	}
	if back := max(r.from, head); back < from {
		r.backs = append(r.backs, [2]int{back, from})
	}
	r.from = from
	if p.now >= float64(int(1)<<(2*r.looks)) && head < r.line {
		r.looks++
		odds := p.tail.Odds(uint64(head))
		for range 10 {
			place := head + p.IntN(r.line-head)
			if !r.watched[place] {
				r.watched[place] = true
				r.said = append(r.said, saying{place: place, word: odds.Word(uint64(place - head))})
			}
		}
	}
}

// end takes down what became of them.
func (r *record) end(p *play) {
	r.ended, r.left, r.sold = p.now, p.left, p.stock+p.restock-p.left
	if p.now < p.lasts {
		willing := 0
		for _, who := range p.stuck {
			if p.crowd[who].wants {
				willing++
			}
		}
		if len(p.crowd) < p.sale.line {
			willing += p.sale.line - len(p.crowd)
		}
		r.idle = min(p.left, willing)
	}
	for place := r.least; place < len(p.crowd); place++ {
		if s := p.crowd[place]; s.wants {
			r.willing++
			if s.won {
				r.got++
			}
		}
	}
	r.willing += float64(r.line-max(r.least, len(p.crowd))) * r.buy
	said := r.said[:0]
	for _, s := range r.said {
		wants := p.Float64() < r.buy
		if s.place < len(p.crowd) {
			wants, s.got = p.crowd[s.place].wants, p.crowd[s.place].won
		}
		if wants {
			said = append(said, s)
		}
	}
	r.said = said
}

// shareBy is the share of the line that was told by a moment.
func (r *record) shareBy(at float64) float64 {
	least := r.line
	for _, s := range r.told {
		if s.at <= at {
			least = s.place
		}
	}
	return float64(r.line-least) / float64(r.line)
}

// calledBack is how many were told that there is a chance again, and how often the
// one was whom that befell most.
func (r *record) calledBack() (places, most int) {
	type edge struct{ at, by int }
	var edges []edge
	for _, b := range r.backs {
		edges = append(edges, edge{b[0], 1}, edge{b[1], -1})
	}
	slices.SortFunc(edges, func(a, b edge) int { return a.at - b.at })
	for i, deep := 0, 0; i < len(edges); i++ {
		if deep += edges[i].by; i+1 < len(edges) && deep > 0 {
			places += edges[i+1].at - edges[i].at
		}
		most = max(most, deep)
	}
	return places, most
}

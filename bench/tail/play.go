package main

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"time"

	"github.com/waitroom/waitroom/shedding"
)

// How people behave where the sale does not say.
const (
	reacts   = 3.   // seconds at most, from finding out to claiming
	finds    = 2.   // seconds at most, until a page finds out
	decides  = 20.  // seconds at most, from a pass to buying, and one at least
	missMean = 180. // seconds after which a missed turn is used, on average
	giveUp   = 0.5  // of those for whom nothing is left: leave at once
	patience = 600. // seconds that the others stay, on average
	rushes   = 5.   // seconds at most, from buying to paying, of those who pay at once
)

type deed uint8

const (
	claims deed = iota
	buys
	pays
	lapses
	restocks
)

type plan struct {
	at   float64
	who  int
	what deed
}

type agenda []plan

func (a agenda) Len() int           { return len(a) }
func (a agenda) Less(i, j int) bool { return a[i].at < a[j].at }
func (a agenda) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(p any)        { *a = append(*a, p.(plan)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// shopper is one who was called.
type shopper struct {
	steady bool // stays whatever comes: was told that it is hopeless, or is watched
	wants  bool // to buy, once admitted
	passed bool
	stays  bool
	won    bool
}

// play is a sale that is played. The verdict changes nothing but this: who is told
// that it is hopeless stays, comes when called, and waits for what comes back.
type play struct {
	sale
	*rand.Rand
	agenda  agenda
	line    *line
	crowd   []shopper // who was called, by place
	stuck   []int
	rule    func(shedding.Tail, shedding.Terms, shedding.Sight) shedding.Tail
	now     float64
	left    int
	held    int
	paid    int
	won     uint64
	lapsed  uint64
	dryFrom float64 // since when nothing is left
	dry     float64 // how long nothing was, the last time
	leave   bool    // for good, who is told
	tail    shedding.Tail
	record  record
}

var opens = time.Date(2027, 11, 26, 9, 0, 0, 0, time.UTC)

func newPlay(s sale, random *rand.Rand) *play {
	p := &play{sale: s, Rand: random, line: newLine(s), left: s.stock, rule: shedding.Tail.Next}
	if s.restock > 0 {
		p.plan(s.restockAt, 0, restocks)
	}
	return p
}

func (p *play) plan(at float64, who int, what deed) { heap.Push(&p.agenda, plan{at, who, what}) }

// run plays the sale to its end.
func (p *play) run() *record {
	p.record = record{sale: p.sale, least: p.sale.line, from: p.sale.line, watched: map[int]bool{}}
	for p.now = 0; p.now < p.lasts && !p.over(); p.now += p.tick {
		for len(p.agenda) > 0 && p.agenda[0].at <= p.now {
			next := heap.Pop(&p.agenda).(plan)
			p.do(next)
		}
		p.line.tick(p.now, p.left > 0)
		p.call()
		if p.left > 0 && len(p.stuck) > 0 {
			p.reopen()
		}
		p.tail = p.rule(p.tail, p.terms, p.sight())
		p.record.look(p)
	}
	p.record.end(p)
	return &p.record
}

// over reports whether nothing can happen any more.
func (p *play) over() bool {
	if p.left == 0 && p.held == 0 && len(p.agenda) == 0 {
		return true
	}
	return len(p.agenda) == 0 && p.line.head >= p.line.places && (p.left == 0 || len(p.stuck) == 0)
}

func (p *play) sight() shedding.Sight {
	return shedding.Sight{Now: opens.Add(time.Duration(p.now * float64(time.Second))), Open: true,
		Head: uint64(p.line.head), Rate: p.rate, Left: p.left, Held: p.held, Paid: p.paid, Won: p.won, Lapsed: p.lapsed}
}

// call is what happens to those whom the head has passed.
func (p *play) call() {
	comes := p.come
	if p.fades > 0 {
		comes *= math.Exp(-p.now / p.fades)
	}
	look := 0.0
	if p.now < p.line.spread {
		look = 1.2 + p.line.spread
	}
	for place := len(p.crowd); place < int(p.line.head); place++ {
		s := shopper{wants: p.Float64() < p.buy}
		s.steady = place >= p.record.least || p.record.watched[place]
		if place >= p.record.least && p.leave {
			p.crowd = append(p.crowd, shopper{})
			continue
		}
		at := p.now + finds*p.Float64() + reacts*p.Float64() + look*p.Float64()
		if s.steady || p.Float64() < comes {
			p.plan(at, place, claims)
		} else if p.Float64() < p.back {
			p.plan(at+missMean*p.ExpFloat64(), place, claims)
		} else {
			s.wants = false
		}
		p.crowd = append(p.crowd, s)
	}
}

func (p *play) do(next plan) {
	at, s := next.at, (*shopper)(nil)
	if next.what != restocks {
		s = &p.crowd[next.who]
	}
	switch next.what {
	case claims:
		p.claim(at, next.who, s)
	case buys:
		p.take(at, next.who, s)
	case pays:
		p.held--
		p.paid++
	case lapses:
		p.held--
		p.lapsed++
		p.give(at, 1)
	case restocks:
		p.give(at, p.restock)
	}
}

func (p *play) claim(at float64, who int, s *shopper) {
	switch again, ok := 0., false; {
	case p.left == 0:
		p.strand(who, s)
	case s.passed:
		p.take(at, who, s)
	default:
		if again, ok = p.line.claim(at); !ok {
			p.plan(at+again*(1+p.Float64()/2), who, claims)
			return
		}
		s.passed = true
		if s.wants {
			p.plan(at+1+decides*p.Float64(), who, buys)
		}
	}
}

func (p *play) take(at float64, who int, s *shopper) {
	if p.left == 0 {
		p.strand(who, s)
		return
	}
	if p.left--; p.left == 0 {
		p.dryFrom = at
	}
	p.held++
	p.won++
	s.won = true
	if p.Float64() < p.keep {
		p.plan(at+p.pays(), who, pays)
	} else {
		p.plan(at+p.hold+p.Float64(), who, lapses)
	}
}

// pays is how many seconds after buying somebody pays.
func (p *play) pays() float64 {
	if p.rush {
		return rushes * p.Float64()
	}
	return min(30, p.hold/4) + p.hold/2*p.Float64()
}

func (p *play) give(at float64, units int) {
	if p.left == 0 {
		p.dry = at - p.dryFrom
	}
	p.left += units
}

// strand is somebody for whom nothing is left for now.
func (p *play) strand(who int, s *shopper) {
	if s.steady || s.stays || p.Float64() >= giveUp {
		s.stays = true
		p.stuck = append(p.stuck, who)
	} else {
		s.wants = false
	}
}

// reopen lets some of those who wait for what comes back try: who looks first, of
// all of whom each does within two seconds.
func (p *play) reopen() {
	few := min(len(p.stuck), 50*p.left+20)
	within := finds * float64(few) / float64(len(p.stuck))
	for range few {
		i := p.IntN(len(p.stuck))
		who := p.stuck[i]
		p.stuck[i] = p.stuck[len(p.stuck)-1]
		p.stuck = p.stuck[:len(p.stuck)-1]
		s := &p.crowd[who]
		if !s.steady && p.Float64() > math.Exp(-p.dry/patience) {
			s.wants = false
			continue
		}
		p.plan(p.now+within*p.Float64(), who, claims)
	}
}

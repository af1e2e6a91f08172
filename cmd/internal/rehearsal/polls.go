package rehearsal

import (
	"math"
	"time"
)

// pages are how often pages ask for the shared document: the table of
// static/web/script/polls.js, in seconds, before the jitter of a quarter more or
// less that changes no average.
type pages struct {
	entered float64
	rate    float64 // passes a second
	speed   float64 // of the head, places a second, as pages learn it
	open    float64 // until the closing

	seen moment // when the head was
	head uint64 // here
}

const (
	age        = 1200 * time.Millisecond // until a new document has replaced the old one everywhere
	doorsOver  = 5 * time.Second         // for so long those who wait for the doors come
	watchEvery = soon * time.Second      // between two looks at the head
)

// In seconds.
const (
	soon  = 2  // the least between two questions in line
	far   = 60 // and the most
	turn  = 15 // of a page whose turn it is
	least = 10 // between two of a page that is hopeless
)

func (g *pages) doors(left float64) float64 { return clamp(3, left/8, 15) }

// many is the distance of pages that have nothing to wait for soon: in the draw,
// or while all is held.
func (g *pages) many() float64 { return clamp(5, g.entered/20_000, far) }

// hopeless is the most of a page that is.
func (g *pages) hopeless() float64 { return clamp(30, g.entered/10_000, 120) }

// recall is that of a hopeless page at a place: the nearer to the first hopeless
// place, and to a head that moves, the sooner it is called back.
func (g *pages) recall(place, head, first float64, moves bool) float64 {
	most := g.hopeless()
	until := most
	if moves {
		until = min((place-head)/g.pace(), g.open) / 3
	}
	return clamp(least, min(most*(place/max(1, first)-1), until), most)
}

// shed is how often a hopeless page asks on average, of those from the first place on
// up to an end: in steps of a hundredth of the way.
func (g *pages) shed(head, first, end float64, moves bool) float64 {
	if end <= first {
		return 1 / g.hopeless()
	}
	const steps = 100
	sum := 0.0
	for i := range steps {
		sum += 1 / g.recall(first+(end-first)*(float64(i)+0.5)/steps, head, first, moves)
	}
	return sum / steps
}

// waiting is that of a page in line: a third of the time until called.
func (g *pages) waiting(ahead uint64) float64 {
	return clamp(soon, min(float64(ahead)/g.pace(), g.open)/3, far)
}

// order is that of a page with a unit to pay, as it is at half of the hold.
func (g *pages) order(hold time.Duration) float64 { return clamp(3, hold.Seconds()/2/8, 15) }

// spread is over how long those who wait for one instant come after it.
func (g *pages) spread() float64 { return clamp(1, g.entered/100_000, 8) }

// pace is the speed of the head as a page reckons with it.
func (g *pages) pace() float64 { return max(g.rate, g.speed) }

// inLine is how many questions a second come from n places, from the head on:
// the sum of 1/waiting over them. Between the nearest and the farthest, a page a
// places from the head asks 3 × pace / a times a second.
func (g *pages) inLine(n float64) float64 {
	if n <= 0 {
		return 0
	}
	farthest := clamp(soon, g.open/3, far)
	each := 3 * g.pace() // places for each second of distance
	near, end := min(n, each*soon), min(n, float64(each*farthest))
	return near/soon + float64(each*math.Log(end/near)) + (n-end)/farthest
}

// watch learns the speed of the head, as the pages do: one half of it at each
// look.
func (g *pages) watch(now moment, head uint64) {
	passed := now.since(g.seen)
	if passed < watchEvery {
		return
	}
	g.speed = (g.speed + float64(head-g.head)/passed.Seconds()) / 2
	g.seen, g.head = now, head
}

func clamp(least, x, most float64) float64 { return min(max(least, x), most) }

// distance is how far apart the questions of a shopper's page are now.
func (p *play) distance(i uint32) time.Duration {
	s := &p.crowd[i]
	every := p.pages.many()
	switch {
	case s.stage == stranded:
		every = soon
	case s.stage == called, s.stage == admitted:
		every = turn
	case s.stage == waiting && p.units.Left > 0:
		every = p.pages.waiting(uint64(s.place) - min(uint64(s.place), p.line.Head))
	}
	return seconds(every)
}

// finds is when a page learns what is new, if it asks every so often.
func (p *play) finds(every time.Duration) moment {
	return p.now.add(p.upTo(time.Duration(float64(every) * (0.75 + p.Float64()/2))))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// asking is how many questions a second come from the pages that are open, and
// how many of them are private.
func (p *play) asking() (polls, private float64) {
	g := &p.pages
	private = float64(p.count[holding]) / g.order(p.sale.Hold)
	switch doors := when(p.sale.Doors); {
	case p.soldOut || p.ended:
		return 0, private
	case p.now < doors:
		return float64(p.early) / g.doors(doors.since(p.now).Seconds()), private
	case !p.opened:
		return float64(p.count[lottery]) / g.many(), private
	}
	polls = float64(p.told[toldHopeless]) * p.eachShed()
	polls += float64(p.count[stranded]) / soon
	polls += float64(p.count[called]+p.count[admitted]) / turn
	there := float64(p.count[waiting] - p.closed)
	if p.units.Left == 0 {
		return polls + there/g.many(), private
	}
	return polls + float64(there*p.eachInLine()), private
}

// eachShed is how often a hopeless page asks on average.
func (p *play) eachShed() float64 {
	if p.line == nil {
		return 1 / p.pages.hopeless()
	}
	return p.pages.shed(float64(p.line.Head), float64(p.from), float64(p.line.Entered), p.units.Left > 0)
}

// eachInLine is how often a page in line asks on average. Those who are there are
// taken to stand evenly between the head and the first hopeless place.
func (p *play) eachInLine() float64 {
	if p.line == nil {
		return 0
	}
	places := float64(min(p.from, p.line.Entered)) - float64(p.line.Head)
	if places <= 0 {
		return 0
	}
	return p.pages.inLine(places) / places
}

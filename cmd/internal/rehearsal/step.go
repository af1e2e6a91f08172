package rehearsal

import (
	"context"
	"time"
)

const (
	tickEvery = 100 * time.Millisecond // as an edge does
	tickSlow  = time.Second            // at slow rates
	together  = time.Second            // what falls into it before the draw is done in one go
)

// next is the moment of the next step: what falls close together is done at once,
// but never across the sale's own instants, and in an open line in steps short
// enough for the bucket not to run over.
func (p *play) next() (moment, bool) {
	first, instant := p.agenda.next(), p.instant()
	if len(p.coming) > 0 {
		first = min(first, p.coming[0])
	}
	if p.count[lottery]+p.count[waiting]+p.count[stranded] > 0 {
		first = min(first, instant) // they will be told something then
	}
	if first == never {
		return 0, false
	}
	until := max(first, p.now).add(p.stride())
	if p.ticking() {
		until = min(until, p.ticked.add(p.tickEvery()))
	}
	if until >= instant {
		until = instant
		if first < instant && p.now < instant-1 {
			until-- // what comes before it is done before it
		}
	}
	return max(until, p.now+1), true
}

// stride is the span of one step: a quarter of what fills the bucket.
func (p *play) stride() time.Duration {
	if !p.opened {
		return together
	}
	fill := time.Duration(float64(p.sale.Burst) / p.rate() * float64(time.Second))
	return min(tickEvery, max(fill/4, time.Millisecond))
}

// tickEvery is the pace of the edges, taken together; at slow rates nothing is
// missed by a slower one.
func (p *play) tickEvery() time.Duration {
	token := time.Duration(float64(time.Second) / p.rate())
	return min(max(token, tickEvery), tickSlow)
}

// instant is the next one at which the line changes by itself.
func (p *play) instant() moment {
	for _, m := range [...]moment{when(p.sale.Doors), p.draw, when(p.sale.Closes)} {
		if p.now < m {
			return m
		}
	}
	return never
}

func (p *play) rate() float64 { return p.sale.Admit.PerSecond() }

// step does everything that is due by now.
func (p *play) step(ctx context.Context) error {
	if err := p.turn(ctx); err != nil {
		return err
	}
	p.gather()
	if err := p.enter(ctx, p.due[press]); err != nil {
		return err
	}
	for _, i := range p.due[look] {
		p.look(i)
	}
	for _, do := range []func(context.Context) error{p.claims, p.buys, p.pays, p.lapses, p.observe} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	if p.ticking() && p.now >= p.ticked.add(p.tickEvery()) {
		return p.tick(ctx)
	}
	return nil
}

// plan puts a shopper's deed on the agenda.
func (p *play) plan(i uint32, what deed, at moment) { p.agenda.put(plan{at, i, what}) }

// gather takes what is due from the agenda, by deed.
func (p *play) gather() {
	for d := range p.due {
		p.due[d] = p.due[d][:0]
	}
	for len(p.coming) > 0 && p.coming[0] <= p.now {
		p.due[press] = append(p.due[press], uint32(p.o.Shoppers-len(p.coming)))
		p.coming = p.coming[1:]
	}
	for p.agenda.next() <= p.now {
		plan := p.agenda.take()
		p.due[plan.what] = append(p.due[plan.what], plan.who)
	}
}

// turn lets the line change at an instant of the sale.
func (p *play) turn(ctx context.Context) error {
	switch {
	case p.now == when(p.sale.Doors):
		return p.tick(ctx)
	case !p.opened && !p.ended && p.now >= p.draw:
		return p.open(ctx)
	case !p.ended && p.now >= when(p.sale.Closes):
		p.ended = true
		if err := p.tick(ctx); err != nil {
			return err
		}
		p.tellAll(toldEnded)
	}
	return nil
}

package rehearsal

import (
	"context"
	"errors"
	"fmt"
)

// open holds the draw: everybody has a place from now on, and finds it when their
// page asks next.
func (p *play) open(ctx context.Context) error {
	if p.sale.Mix != "" {
		if err := p.stores.line.Mix(ctx, fmt.Sprintf("rehearsal %d", p.o.Seed)); err != nil {
			return err
		}
	}
	p.opened, p.pages.seen = true, p.draw
	if err := p.tick(ctx); err != nil {
		return err
	}
	if p.line.Draw == nil {
		return errors.New("open line: there was no draw")
	}
	p.report.Drawn = int(p.line.DrawnCount)
	for i := range p.crowd {
		if p.crowd[i].stage != lottery {
			continue
		}
		asks := p.firstLook()
		p.settle(uint32(i))
		p.load.poll(asks)
		p.plan(uint32(i), look, asks)
	}
	return nil
}

// settle notes the place of a shopper. It must be nobody else's.
func (p *play) settle(i uint32) {
	s := &p.crowd[i]
	place, ok := p.line.Place(s.entry())
	if !p.checks.drawn(s.number, place, ok && place < uint64(len(p.byPlace)) && p.byPlace[place] == 0) {
		return
	}
	s.place, p.byPlace[place] = uint32(place), i+1
}

// firstLook is when the page of somebody in the lottery asks for the first time
// after the draw: once its countdown is over, or, where that was over before there
// was a draw, when it asks next.
func (p *play) firstLook() moment {
	if p.sale.Mix != "" {
		return p.finds(seconds(p.pages.many()))
	}
	return p.draw.add(age + p.upTo(seconds(p.pages.spread())))
}

package rehearsal

import (
	"context"
	"math"
	"time"

	"github.com/waitroom/waitroom/queueing"
)

// tick moves the line on and calls whoever the head has passed.
func (p *play) tick(ctx context.Context) error {
	if err := p.observe(ctx); err != nil {
		return err
	}
	last := p.line
	line, err := p.stores.line.Tick(ctx, p.units.Left > 0, p.published())
	if err != nil {
		return err
	}
	p.line, p.ticked = line, p.now
	if last == nil {
		return nil
	}
	p.judge()
	p.checks.moved(last.Head, line.Head)
	if p.opened {
		p.pages.watch(p.now, line.Head)
		p.pages.open = when(p.sale.Closes).since(p.now).Seconds()
	}
	for place := last.Head; place < line.Head && place < uint64(len(p.byPlace)); place++ {
		if who := p.byPlace[place]; who > 0 {
			p.call(who - 1)
		}
	}
	return nil
}

// ticking reports whether the line moves, for somebody.
func (p *play) ticking() bool {
	return p.opened && !p.ended && p.units.Left > 0 && (p.line.Head < p.line.Entered || p.count[called] > 0)
}

// call is what happens when the head passes a shopper: their page finds out when
// it asks next, or they are not there.
func (p *play) call(i uint32) {
	s := &p.crowd[i]
	if s.stage == shed {
		p.recall(i)
	}
	if s.stage != waiting {
		return // has not seen the draw yet, or has left
	}
	if p.absent(i) {
		return
	}
	if s.away {
		s.missed = true
		return
	}
	if p.lostPatience() {
		p.tell(i, toldSoldOut, p.now)
		return
	}
	p.react(i, p.finds(soon*time.Second))
}

// absent decides, once, whether a shopper is away when called, for good or for a
// while.
func (p *play) absent(i uint32) bool {
	s := &p.crowd[i]
	if s.missed || !p.of(p.o.NoShows) {
		return false
	}
	p.report.NoShows++
	s.missed = true
	switch {
	case !p.of(p.o.Return):
		p.back(s)
		p.move(i, gone)
	case !s.away:
		p.leave(i, p.mean(missMean))
	}
	return true
}

// lostPatience decides for somebody who was told that all is held for now.
func (p *play) lostPatience() bool {
	if p.dry.sum == 0 {
		return false
	}
	return p.of(1 - float64((1-giveUp)*math.Exp(-p.dry.sum.Seconds()/patience.Seconds())))
}

// react lets a shopper claim, having found out at a moment that it is their turn.
func (p *play) react(i uint32, finds moment) {
	p.move(i, called)
	p.load.request(finds, 2) // where the shopper stands, and the page
	claims := finds.add(p.upTo(reactMost))
	p.crowd[i].since = claims
	p.plan(i, claim, claims)
}

// leave closes a shopper's page for a while.
func (p *play) leave(i uint32, d time.Duration) {
	p.crowd[i].away = true
	p.move(i, waiting)
	p.closed++
	p.plan(i, look, p.now.add(d))
}

// back opens it again, and reports whether it was closed.
func (p *play) back(s *shopper) bool {
	was := s.away
	if was {
		s.away = false
		p.closed--
	}
	return was
}

// look is a page that is read: the first time after the draw or on entering late,
// or when it is opened again.
func (p *play) look(i uint32) {
	s := &p.crowd[i]
	if p.back(s) {
		p.report.CameBack++
		p.load.request(p.now, 1)
	}
	if s.stage != lottery && s.stage != waiting {
		return
	}
	first := !s.looked
	s.looked = true
	now := *p.line
	now.Now = p.now.time()
	st := now.Standing(s.entry())
	p.checks.place(s, st)
	switch {
	case p.soldOut || p.ended:
		if first {
			p.tell(i, p.final(), p.now)
		} else {
			p.dismiss(i, p.final())
		}
	case st.State == queueing.StandingWaiting && st.Place >= p.from:
		if first {
			p.report.HopelessAtOnce++
		} else {
			p.report.HopelessLater++
		}
		p.shed(i, p.now)
	case st.State == queueing.StandingCalled:
		if first && p.absent(i) {
			return
		}
		if s.missed {
			p.report.MissedUsed++
		}
		p.react(i, p.now)
	default:
		p.move(i, waiting)
		if first && p.of(reloads) {
			p.leave(i, p.upTo(awayMost))
		}
	}
}

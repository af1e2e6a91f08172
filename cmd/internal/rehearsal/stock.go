package rehearsal

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/shedding"
)

// shelf is what an edge knows of the stock, and what follows from it.
type shelf struct {
	units gate.Snapshot
	latch shedding.Latch[gate.Mark]
	moved bool   // the gate, since it was looked at
	spent uint64 // passes, as known before it was looked at
	dry   drought

	verdict shedding.Tail // on all who wait, the same for everybody
	from    uint64        // places from here on are hopeless
}

// drought is for how long there was nothing to be had.
type drought struct {
	began moment        // 0: there is something
	last  time.Duration // the last time
	sum   time.Duration // of all times that are over
}

// learn takes up what the gate says.
func (s *shelf) learn(look gate.Snapshot) {
	s.moved, s.units = false, look
	s.latch.Observe(look.Left, look.Mark)
}

// published is what an edge says of the stock beside the line's picture.
func (s *shelf) published() queueing.Stock {
	state := "open"
	if s.units.Left == 0 {
		state = "all_held"
	}
	return queueing.Stock{
		Left: s.units.Left, Held: s.units.Total - s.units.Left - s.units.Paid, State: state, Spent: s.spent,
	}
}

// observe looks at the gate if it has moved, and lets the shoppers know.
func (p *play) observe(ctx context.Context) error {
	spent := p.stores.line.Spent()
	if !p.moved && p.line != nil && spent == p.spent {
		return nil
	}
	p.spent = spent
	look, err := p.stores.gate.Look(ctx)
	if err != nil {
		return err
	}
	if !look.Open() {
		return fmt.Errorf("look at gate: it is closed: %s", look.Closed)
	}
	p.shelf.learn(look)
	p.checks.stock(look)
	if p.line == nil || p.soldOut {
		return nil
	}
	switch {
	case look.Final():
		p.soldOut = true
		p.report.SoldOut = stamp(p.now)
		p.tellAll(toldSoldOut)
	case look.Left == 0 && p.dry.began == 0:
		p.dry.began = p.now
		p.report.held(p.now)
	case look.Left > 0 && p.dry.began > 0:
		p.dry.last = p.now.since(p.dry.began)
		p.dry.sum += p.dry.last
		p.dry.began = 0
		p.reopen()
	}
	p.judge()
	return nil
}

// judge takes another look at the whole line, and tells those who wait what came of
// it.
func (p *play) judge() {
	if !p.opened || p.ended || p.soldOut {
		return
	}
	p.verdict = p.verdict.Next(shedding.TermsOf(p.sale), shedding.Sight{
		Now: p.line.Now, Open: p.line.State == queueing.StateOpen && p.units.Open(), Head: p.line.Head, Rate: p.line.Rate,
		Left: p.units.Offered(), Held: p.published().Held, Paid: p.units.Paid, Won: p.units.Won, Lapsed: p.units.Lapsed,
	})
	from := uint64(p.o.Shoppers)
	if ahead, ok := p.verdict.HopelessAhead(p.line.Head); ok && p.line.Drawn {
		from = min(from, p.line.Head+ahead)
	}
	p.tellTail(from)
}

// strand is a shopper whose turn it is when nothing is left for now.
func (p *play) strand(i uint32) {
	s := &p.crowd[i]
	if s.stage == called {
		p.checks.waited(s, p.now)
	}
	if !s.stays && p.of(giveUp) {
		p.tell(i, toldSoldOut, p.now)
		return
	}
	s.stays = true
	p.move(i, stranded)
	p.stuck = append(p.stuck, i)
}

// reopen lets those who were stranded and are still there try again: a unit has
// come back, and their pages find out.
func (p *play) reopen() {
	if p.ended {
		return
	}
	stuck, span := p.stuck, p.dry.last
	p.stuck = p.stuck[:0]
	for _, i := range stuck {
		s := &p.crowd[i]
		switch finds := p.finds(soon * time.Second); {
		case s.stage != stranded: // was told that it is over
		case p.of(1 - math.Exp(-span.Seconds()/patience.Seconds())):
			p.tell(i, toldSoldOut, p.now)
		case s.passed && finds < s.since:
			p.move(i, admitted)
			p.plan(i, buy, finds)
		default:
			p.react(i, finds)
		}
	}
}

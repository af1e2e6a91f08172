package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/waitroom/waitroom/gate"
)

// noBacklog: the worker is not part of a rehearsal.
const noBacklog = math.MaxInt32

func account(i uint32) string { return "shopper-" + strconv.FormatUint(uint64(i), 10) }

// reservation is that of a shopper, who has one at most.
func reservation(i uint32) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i) }

// buys brings those who press buy to the gate.
func (p *play) buys(ctx context.Context) error {
	for _, i := range p.due[buy] {
		s := &p.crowd[i]
		if s.stage != admitted {
			continue
		}
		p.load.request(p.now, 1)
		switch {
		case p.ended || p.soldOut:
			p.tell(i, p.final(), p.now)
		case p.latch.SoldOut():
			p.strand(i)
		case p.now >= s.since:
			p.react(i, p.now) // the pass is over: another one, from the same place
		default:
			if err := p.reserve(ctx, i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *play) reserve(ctx context.Context, i uint32) error {
	h, err := p.stores.gate.Reserve(ctx, gate.Request{
		Reservation: reservation(i), Account: account(i), Ticket: account(i),
		Key: "pass", Qty: 1, PerAccount: p.sale.PerAccount, Hold: p.sale.Hold,
		MaxBacklog: noBacklog, Seen: p.gate.Mark,
	})
	switch {
	case errors.Is(err, gate.ErrSoldOut):
		p.latch.Refused(h.Mark)
		p.strand(i)
		return nil
	case err != nil:
		return fmt.Errorf("buy as shopper %d: %w", i, err)
	}
	p.moved = true
	p.gate.Mark = h.Mark
	if h.Left == 0 {
		p.latch.Refused(h.Mark)
	}
	p.checks.take()
	p.report.Reserved++
	p.move(i, holding)
	ends := when(h.PayBefore)
	if p.chance(p.o.Pay) {
		p.plan(i, pay, p.now.add(min(payLeast, p.sale.Hold/4)+p.upTo(p.sale.Hold/2)))
	} else {
		p.plan(i, lapse, ends.add(p.upTo(sweepEvery)))
	}
	return nil
}

// pays tells the gate who has paid, as the worker does.
func (p *play) pays(ctx context.Context) error {
	for _, i := range p.due[pay] {
		err := p.stores.gate.Tell(ctx, gate.Note{Reservation: reservation(i), Status: gate.Paid, Version: 2, Qty: 1})
		if err != nil {
			return err
		}
		p.moved = true
		p.report.Bought++
		p.move(i, gone)
	}
	return nil
}

// lapses gives back the units that were not paid for, as the worker does.
func (p *play) lapses(ctx context.Context) error {
	for _, i := range p.due[lapse] {
		gave, err := p.stores.gate.Release(ctx, reservation(i))
		if err != nil {
			return err
		}
		if !gave {
			p.checks.fail(soldOnce, "the hold of shopper %d was gone before it was given back", i)
		}
		p.moved = true
		p.checks.giveBack()
		p.report.Lapsed++
		p.move(i, gone)
	}
	return nil
}

// observe looks at the gate if it has moved, and lets the shoppers know.
func (p *play) observe(ctx context.Context) error {
	if !p.moved && p.line != nil {
		return nil
	}
	look, err := p.stores.gate.Look(ctx)
	if err != nil {
		return err
	}
	if !look.Open() {
		return fmt.Errorf("look at gate: it is closed: %s", look.Closed)
	}
	p.moved, p.gate = false, look
	p.latch.Observe(look.Left, look.Mark)
	p.checks.stock(look)
	if p.line == nil || p.soldOut {
		return nil
	}
	switch {
	case look.Final():
		p.soldOut = true
		p.report.SoldOut = stamp(p.now)
		p.tellAll(toldSoldOut)
	case look.Left == 0 && p.drySince == 0:
		p.drySince = p.now
		p.report.held(p.now)
	case look.Left > 0 && p.drySince > 0:
		p.lastDry = p.now.since(p.drySince)
		p.dried += p.lastDry
		p.drySince = 0
		p.reopen()
	}
	if p.opened && !p.ended && !p.soldOut {
		p.tellTail()
	}
	return nil
}

// strand is a shopper whose turn it is when nothing is left for now.
func (p *play) strand(i uint32) {
	s := &p.crowd[i]
	if s.stage == called {
		p.checks.waited(s, p.now)
	}
	if !s.stays && p.chance(giveUp) {
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
	stuck, span := p.stuck, p.lastDry
	p.stuck = p.stuck[:0]
	for _, i := range stuck {
		s := &p.crowd[i]
		switch finds := p.now.add(p.upTo(heldPoll)); {
		case s.stage != stranded: // was told that it is over
		case p.chance(1 - math.Exp(-span.Seconds()/patience.Seconds())):
			p.tell(i, toldSoldOut, p.now)
		case s.passed && finds < s.since:
			p.move(i, admitted)
			p.plan(i, buy, finds)
		default:
			p.react(i, finds)
		}
	}
}

const sweepEvery = time.Second // how long a hold outlives its end at most

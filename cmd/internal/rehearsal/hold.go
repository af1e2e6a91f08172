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
		MaxBacklog: noBacklog,
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
	p.stores.line.Spend(p.crowd[i].turn(), p.now.time())
	p.units.Mark = h.Mark
	if h.Left == 0 {
		p.latch.Refused(h.Mark)
	}
	p.checks.take()
	p.report.Reserved++
	if p.crowd[i].again {
		p.report.CalledBackGot++
	}
	p.move(i, holding)
	ends := when(h.PayBefore)
	if p.of(p.o.Pay) {
		p.plan(i, pay, p.now.add(min(payLeast, p.sale.Hold/4)+p.upTo(p.sale.Hold/2)))
	} else {
		p.plan(i, lapse, ends.add(p.upTo(sweepEvery)))
	}
	return nil
}

// pays tells the gate who has paid, as the worker does.
func (p *play) pays(ctx context.Context) error {
	for _, i := range p.due[pay] {
		err := p.stores.gate.Tell(ctx, gate.Note{Reservation: reservation(i), Account: account(i), Status: gate.Paid, Version: 2, Qty: 1})
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
		gave, err := p.stores.gate.Release(ctx, account(i), reservation(i))
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

const sweepEvery = time.Second // how long a hold outlives its end at most

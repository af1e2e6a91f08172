package rehearsal

import (
	"context"
	"errors"

	"github.com/waitroom/waitroom/queueing"
)

// atOnce is the most entries of one call.
const atOnce = 1000

// enter lets those who press into the line. Whoever comes too early presses again
// when the doors are open, as their page tells them: it asks then, and once more
// for what is the shopper's own.
func (p *play) enter(ctx context.Context, who []uint32) error {
	p.load.request(p.now, len(who))
	if p.now < when(p.sale.Doors) {
		for _, i := range who {
			asks := when(p.sale.Doors).add(age + p.upTo(doorsOver))
			p.load.poll(asks)
			p.plan(i, press, asks.add(p.upTo(doorsOver)))
		}
		p.early += len(who)
		return nil
	}
	if p.soldOut || p.ended {
		for _, i := range who {
			p.dismiss(i, p.final())
		}
		return nil
	}
	for len(who) > 0 {
		n := min(len(who), atOnce)
		if err := p.enterSome(ctx, who[:n]); err != nil {
			return err
		}
		who = who[n:]
	}
	return nil
}

func (p *play) enterSome(ctx context.Context, who []uint32) error {
	entries := make([]queueing.Entry, len(who))
	if p.sale.OneTicketPerAccount {
		for k, i := range who {
			entries[k].Account = account(i)
		}
	}
	numbers, errs, err := p.stores.line.EnterAll(ctx, entries)
	if err = errors.Join(append(errs, err)...); err != nil {
		return err
	}
	for k, i := range who {
		s := &p.crowd[i]
		s.number, s.joined = uint32(numbers[k].Value), p.now
		p.report.Entered++
		p.pages.entered++
		p.move(i, lottery)
		if p.opened {
			p.settle(i)
		}
	}
	if !p.opened {
		return nil
	}
	if err := p.tick(ctx); err != nil { // newcomers may be called at once
		return err
	}
	for _, i := range who {
		p.look(i)
	}
	return nil
}

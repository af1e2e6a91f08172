package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/waitroom/waitroom/queueing"
)

// claimsAtOnce is the most claims of one call.
const claimsAtOnce = 250

// claims asks for the passes of those whose turn it is.
func (p *play) claims(ctx context.Context) error {
	var who []uint32
	var turns []queueing.Turn
	for _, i := range p.due[claim] {
		switch s := &p.crowd[i]; {
		case s.stage != called:
		case p.latch.SoldOut():
			p.load.request(p.now, 1)
			p.strand(i)
		default:
			who, turns = append(who, i), append(turns, s.turn())
		}
	}
	p.load.request(p.now, len(who))
	for len(who) > 0 {
		n := min(len(who), claimsAtOnce)
		claims, errs, err := p.stores.line.ClaimAll(ctx, turns[:n])
		if err != nil {
			return err
		}
		for k, i := range who[:n] {
			if err := p.claimed(i, claims[k], errs[k]); err != nil {
				return err
			}
		}
		who, turns = who[n:], turns[n:]
	}
	return nil
}

// claimed is what becomes of one claim.
func (p *play) claimed(i uint32, c queueing.Claim, err error) error {
	s := &p.crowd[i]
	if wait, ok := errors.AsType[*queueing.WaitError](err); ok {
		p.report.Denied++
		p.plan(i, claim, p.now.add(wait.Retry+p.upTo(max(wait.Retry/2, time.Second))))
		return nil
	}
	switch {
	case errors.Is(err, queueing.ErrEnded):
		p.tell(i, toldEnded, p.now)
		return nil
	case errors.Is(err, queueing.ErrNotCalled):
		p.checks.sentBack(s)
		p.move(i, waiting)
		return nil
	case err != nil:
		return fmt.Errorf("claim place %d: %w", s.place, err)
	}
	if !c.Again {
		p.checks.pass(p.now)
	}
	p.checks.waited(s, p.now)
	if !s.passed {
		s.passed = true
		p.report.admit(p.now, p.now.since(max(s.joined, p.draw)))
	}
	s.since = when(c.Expires)
	p.move(i, admitted)
	if s.stays || p.of(p.o.Buy) {
		p.plan(i, buy, p.now.add(time.Second+p.upTo(buyMost)))
	} else {
		p.move(i, gone)
	}
	return nil
}

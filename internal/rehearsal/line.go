package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/shedding"
)

// The most entries, and the most claims, of one call.
const (
	atOnce       = 1000
	claimsAtOnce = 250
)

// enter lets those who press into the line. Whoever comes too early presses again
// when the doors are open, as their page tells them.
func (p *play) enter(ctx context.Context, who []uint32) error {
	p.load.request(p.now, len(who))
	if p.now < when(p.sale.Doors) {
		for _, i := range who {
			p.plan(i, press, when(p.sale.Doors).add(p.upTo(doorsPoll)))
		}
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
	accounts := make([]string, len(who))
	if p.sale.OneTicketPerAccount {
		for k, i := range who {
			accounts[k] = account(i)
		}
	}
	numbers, err := p.stores.line.EnterAll(ctx, accounts)
	if err != nil {
		return err
	}
	for k, i := range who {
		s := &p.crowd[i]
		s.number, s.joined = uint32(numbers[k]), p.now
		p.report.Entered++
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

// open holds the draw: everybody has a place from now on, and finds it when their
// page asks next.
func (p *play) open(ctx context.Context) error {
	if p.sale.Mix != "" {
		if err := p.stores.line.Mix(ctx, fmt.Sprintf("rehearsal %d", p.o.Seed)); err != nil {
			return err
		}
	}
	p.opened = true
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
		p.settle(uint32(i))
		p.plan(uint32(i), look, p.firstLook(&p.crowd[i]))
	}
	return nil
}

// settle notes the place of a shopper. It must be nobody else's.
func (p *play) settle(i uint32) {
	s := &p.crowd[i]
	place, ok := p.line.Place(uint64(s.number))
	if !ok || place >= uint64(len(p.byPlace)) || p.byPlace[place] != 0 {
		p.checks.fail(drawFair, "number %d was given place %d, which is another's", s.number, place)
		return
	}
	s.place, p.byPlace[place] = uint32(place), i+1
}

// firstLook is when the page of somebody in the lottery asks for the first time
// after the draw, by the distances that the line itself gave.
func (p *play) firstLook(s *shopper) moment {
	before := *p.line
	before.Draw, before.Drawn = nil, false
	asks := max(p.draw.add(-2*lotteryPoll-p.upTo(lotteryPoll)), s.joined)
	for asks < p.draw {
		before.Now = asks.time()
		asks = asks.add(before.PollAfter(queueing.Standing{State: queueing.StandingLottery}, p.rng.Float64()))
	}
	p.load.poll(asks)
	return asks
}

// tick moves the line on and calls whoever the head has passed.
func (p *play) tick(ctx context.Context) error {
	if err := p.observe(ctx); err != nil {
		return err
	}
	state := "open"
	if p.gate.Left == 0 {
		state = "all_held"
	}
	last := p.line
	line, err := p.stores.line.Tick(ctx, p.gate.Left > 0, queueing.Stock{Left: p.gate.Left, State: state})
	if err != nil {
		return err
	}
	p.line, p.ticked = line, p.now
	if last == nil {
		return nil
	}
	if line.Head < last.Head {
		p.checks.fail(inOrder, "the head went back from %d to %d", last.Head, line.Head)
	}
	for place := last.Head; place < line.Head && place < uint64(len(p.byPlace)); place++ {
		if who := p.byPlace[place]; who > 0 {
			p.call(who-1, last)
		}
	}
	return nil
}

// ticking reports whether the line moves, for somebody.
func (p *play) ticking() bool {
	return p.opened && !p.ended && p.gate.Left > 0 && (p.line.Head < p.line.Entered || p.count[called] > 0)
}

// call is what happens when the head passes a shopper: their page finds out when
// it asks next, or they are not there.
func (p *play) call(i uint32, before *queueing.Snapshot) {
	s := &p.crowd[i]
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
	seen := *before
	seen.Now = p.now.time()
	finds := p.now.add(p.upTo(seen.PollAfter(seen.Standing(uint64(s.number)), p.rng.Float64())))
	if p.lostPatience() {
		p.tell(i, toldSoldOut, p.now)
		return
	}
	p.react(i, finds)
}

// absent decides, once, whether a shopper is away when called, for good or for a
// while.
func (p *play) absent(i uint32) bool {
	s := &p.crowd[i]
	if s.missed || !p.chance(p.o.NoShows) {
		return false
	}
	p.report.NoShows++
	s.missed = true
	switch {
	case !p.chance(p.o.Return):
		p.back(s)
		p.move(i, gone)
	case !s.away:
		p.leave(i, p.mean(missMean))
	}
	return true
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

// react lets a shopper claim, having found out at a moment that it is their turn.
func (p *play) react(i uint32, finds moment) {
	p.move(i, called)
	p.load.poll(finds)
	claims := finds.add(p.upTo(reactMost))
	p.crowd[i].since = claims
	p.plan(i, claim, claims)
}

// look is a page that is read: the first time after the draw or on entering late,
// or when it is opened again.
func (p *play) look(i uint32) {
	s := &p.crowd[i]
	if p.back(s) {
		p.report.CameBack++
	}
	if s.stage != lottery && s.stage != waiting {
		return
	}
	first := !s.looked
	s.looked = true
	now := *p.line
	now.Now = p.now.time()
	st := now.Standing(uint64(s.number))
	p.checks.place(s, st)
	switch {
	case p.soldOut || p.ended:
		if first {
			p.tell(i, p.final(), p.now)
		} else {
			p.dismiss(i, p.final())
		}
	case st.State == queueing.StandingWaiting && p.hopeless(st.Ahead):
		if first {
			p.report.HopelessAtOnce++
		}
		p.tell(i, toldHopeless, p.now)
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
		if first && p.chance(reloads) {
			p.leave(i, p.upTo(awayMost))
		}
	}
}

// hopeless is the tail's verdict, as an edge asks for it.
func (p *play) hopeless(ahead uint64) bool {
	g := p.gate
	return shedding.Hopeless(shedding.Odds{
		Ahead: ahead, Left: g.Left, Held: g.Total - g.Left - g.Paid,
		Conversion: shedding.PriorConversion, Certainty: shedding.DefaultCertainty,
	})
}

// claims asks for the passes of those whose turn it is.
func (p *play) claims(ctx context.Context) error {
	var who []uint32
	var places []uint64
	for _, i := range p.due[claim] {
		switch s := &p.crowd[i]; {
		case s.stage != called:
		case p.latch.SoldOut():
			p.load.request(p.now, 1)
			p.strand(i)
		default:
			who, places = append(who, i), append(places, uint64(s.place))
		}
	}
	p.load.request(p.now, len(who))
	for len(who) > 0 {
		n := min(len(who), claimsAtOnce)
		claims, errs, err := p.stores.line.ClaimAll(ctx, places[:n])
		if err != nil {
			return err
		}
		for k, i := range who[:n] {
			if err := p.claimed(i, claims[k], errs[k]); err != nil {
				return err
			}
		}
		who, places = who[n:], places[n:]
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
		p.checks.fail(inOrder, "place %d was called, and then was not", s.place)
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
	if s.stays || p.chance(p.o.Buy) {
		p.plan(i, buy, p.now.add(time.Second+p.upTo(buyMost)))
	} else {
		p.move(i, gone)
	}
	return nil
}

// tell gives a shopper who is there the last word, at a moment.
func (p *play) tell(i uint32, a answer, at moment) {
	p.dismiss(i, a)
	p.report.lastTold(at)
}

// dismiss gives the last word to a shopper who may come long after it is known.
func (p *play) dismiss(i uint32, a answer) {
	s := &p.crowd[i]
	if s.stage == called {
		p.checks.waited(s, p.now)
	}
	s.answer = a
	p.told[a]++
	p.back(s)
	p.move(i, gone)
}

// final is the word for everybody once the sale is over.
func (p *play) final() answer {
	if p.soldOut {
		return toldSoldOut
	}
	return toldEnded
}

// tellAll tells everybody who is still there. Closed pages are told nothing until
// they are opened again.
func (p *play) tellAll(a answer) {
	for i := range p.crowd {
		switch s := &p.crowd[i]; s.stage {
		case waiting, called, stranded, admitted:
			if !s.away {
				p.tell(uint32(i), a, p.now.add(p.upTo(lastPoll)))
			}
		case lottery: // finds out at the first look, which is planned
		}
	}
}

// tellTail tells those who have become hopeless since.
func (p *play) tellTail() {
	ahead := uint64(0) // the fewest with whom it is hopeless
	for step := uint64(1) << 32; step > 0; step /= 2 {
		if !p.hopeless(ahead + step - 1) {
			ahead += step
		}
	}
	tail := min(p.tail, p.line.Head+ahead)
	for place := tail; place < p.tail && place < uint64(len(p.byPlace)); place++ {
		who := p.byPlace[place]
		if who > 0 && p.crowd[who-1].stage == waiting && !p.crowd[who-1].away {
			p.tell(who-1, toldHopeless, p.now.add(p.upTo(lastPoll)))
		}
	}
	p.tail = tail
}

// move takes a shopper to another stage.
func (p *play) move(i uint32, to stage) {
	s := &p.crowd[i]
	p.count[s.stage]--
	s.stage = to
	p.count[to]++
}

func (p *play) plan(i uint32, what deed, at moment) { p.agenda.put(plan{at, i, what}) }

func (p *play) chance(share float64) bool { return p.rng.Float64() < share }

func (p *play) upTo(d time.Duration) time.Duration {
	return time.Duration(p.rng.Float64() * float64(d))
}

func (p *play) mean(d time.Duration) time.Duration {
	return time.Duration(p.rng.ExpFloat64() * float64(d))
}

// lostPatience decides for somebody who was told that all is held for now.
func (p *play) lostPatience() bool {
	if p.dried == 0 {
		return false
	}
	return p.chance(1 - (1-giveUp)*math.Exp(-p.dried.Seconds()/patience.Seconds()))
}

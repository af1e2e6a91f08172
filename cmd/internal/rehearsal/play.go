package rehearsal

import (
	"context"
	"errors"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// mixAfter is how long after the opening a public value is given, if one is named.
const mixAfter = time.Minute

// play is a sale being rehearsed.
type play struct {
	*stores
	chance
	people
	shelf
	sale *configs.Sale
	o    Options

	agenda agenda
	due    [lapse + 1][]uint32 // of this step, by deed

	draw    moment
	opened  bool // the draw is held
	ended   bool
	soldOut bool // for good
	line    *queueing.Snapshot
	ticked  moment

	checks checks
	pages  pages
	load   load
	report Report
}

// Run plays the sale and reports. An error means that it could not be played, or
// that ctx ended; a promise that was broken is in Report.Checks.
func Run(ctx context.Context, sale *configs.Sale, o Options) (_ *Report, err error) {
	if err := o.check(sale); err != nil {
		return nil, err
	}
	p := newPlay(sale, o)
	if p.stores, err = openStores(ctx, sale, o.Seed, min(p.coming[0], when(sale.Doors))); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	return p.finish(ctx)
}

func newPlay(sale *configs.Sale, o Options) *play {
	p := &play{sale: sale, o: o, chance: newChance(o.Seed), draw: when(sale.Opens)}
	if sale.Mix != "" {
		p.draw = p.draw.add(min(mixAfter, sale.Closes.Sub(sale.Opens)/2))
	}
	p.people = newPeople(sale, o.Shoppers, p.chance)
	p.from = uint64(o.Shoppers)
	p.checks = newChecks(sale)
	p.pages.rate = sale.Admit.PerSecond()
	p.load = newLoad(min(p.coming[0], when(sale.Doors)), when(sale.Over()))
	return p
}

// run goes from step to step until nobody has anything left to do.
func (p *play) run(ctx context.Context) error {
	if err := p.tick(ctx); err != nil {
		return err
	}
	for {
		next, ok := p.next()
		if !ok {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		p.countPolls(next)
		p.moveTo(next)
		if err := p.step(ctx); err != nil {
			return err
		}
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
)

const (
	settles     = time.Second      // after the opening, which does not count
	startsUp    = 10 * time.Second // of worker and edges
	startsLines = 2 * time.Second
)

// row is what was measured at one rate.
type row struct {
	rate    configs.Rate
	through string // what the crowd stood before
	limit
	stamp          time.Duration // see stand
	from           time.Time     // a second after the opening
	lasted         time.Duration
	passes         passes
	given          int // passes by Redis's own count
	denied, failed int
	fault          error // the last of the failed
	away           int   // how often an edge was away
	redis          usage // of the measured time only
}

// measure opens a sale, sees it through with one edge after the other away for
// a while, and closes it.
func measure(ctx context.Context, o options, rate configs.Rate, open opener) (r row, err error) {
	owner := &testserver.Measurement{}
	defer owner.End()
	s, err := open(ctx, owner, o, rate)
	if err != nil {
		return r, err
	}
	r = row{rate: rate, limit: limit{rate.PerSecond(), s.sale.Burst}, stamp: s.stamp, from: s.sale.Opens.Add(settles), lasted: o.seconds}
	if late := time.Since(s.sale.Opens); late > 0 {
		_ = s.close()
		return r, fmt.Errorf("the crowd was ready %v after the opening: reckon with fewer -joins", late)
	}
	if r.away, r.redis, err = s.see(ctx, o, r.from); err != nil {
		return r, err
	}
	if r.given, err = given(ctx, s.rdb); err != nil {
		return r, err
	}
	r.passes, r.denied, r.failed, r.fault = sorted(s.crowd.passes), s.crowd.denied, s.crowd.failed, s.crowd.fault
	return r, ctx.Err()
}

// see is the sale from before its opening to the end of the measurement.
func (s *stand) see(ctx context.Context, o options, from time.Time) (away int, use usage, err error) {
	sale, end := context.WithDeadline(ctx, from.Add(o.seconds))
	defer end()
	var crowd sync.WaitGroup
	crowd.Go(func() { s.crowd.run(sale) })
	group, measured := errgroup.WithContext(sale)
	group.Go(func() (err error) {
		away, err = s.rotate(measured, o.away, from)
		return err
	})
	group.Go(func() (err error) {
		use, err = s.use(ctx, measured, from)
		return err
	})
	err = group.Wait()
	end()
	err = errors.Join(err, s.close())
	crowd.Wait()
	return away, use, err
}

// rotate stops one edge after the other and starts it again a while later,
// until ctx ends.
func (s *stand) rotate(ctx context.Context, away time.Duration, from time.Time) (times int, err error) {
	pause(ctx, time.Until(from))
	for ; pause(ctx, away/2); times++ {
		if err := s.stop(times % edges); err != nil {
			return times, err
		}
		if !pause(ctx, away) {
			return times + 1, nil
		}
		if err := s.start(times % edges); err != nil {
			return times, err
		}
	}
	return times, nil
}

// use is what Redis does from an instant until the sale ends.
func (s *stand) use(ctx, sale context.Context, from time.Time) (usage, error) {
	pause(sale, time.Until(from))
	before, err := used(ctx, s.rdb)
	if err != nil {
		return usage{}, err
	}
	<-sale.Done()
	after, err := used(ctx, s.rdb)
	return usage{lasted: after.at.Sub(before.at), calls: after.calls - before.calls, cpu: after.cpu - before.cpu}, err
}

// pause waits and reports whether ctx let it.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

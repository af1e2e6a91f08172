package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
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

// stand is a crowd before its doors, with all that it takes.
type stand struct {
	doors
	rdb   *redis.Client
	sale  *configs.Sale
	crowd *crowd
	stamp time.Duration // the length of the moment that an instant names
}

// measure opens a sale, sees it through with one edge after the other away for
// a while, and closes it.
func measure(ctx context.Context, o options, rate configs.Rate, open opener) (r row, err error) {
	owner := &owner{}
	defer owner.end()
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

// opener sets everything up for a rate, and returns before the opening.
type opener func(context.Context, testserver.Owner, options, configs.Rate) (*stand, error)

// openDoors is three real edges with a crowd in line.
func openDoors(ctx context.Context, t testserver.Owner, o options, rate configs.Rate) (*stand, error) {
	n := o.entries(rate)
	books := testserver.StartPostgres(t)
	s, store, err := newStand(t, rate, startsUp+time.Duration(n/o.joins)*time.Second)
	if err != nil {
		return nil, err
	}
	f, err := openFront(t, o, store.URL, books.URL, s.sale)
	if err != nil {
		return nil, err
	}
	if err := f.join(ctx, n); err != nil {
		return nil, err
	}
	f.open()
	s.doors, s.crowd, s.stamp = f, newCrowd(f, o.absent), time.Millisecond
	return s, nil
}

// openLines is three lines without a door, and a crowd that entered at once.
func openLines(ctx context.Context, t testserver.Owner, o options, rate configs.Rate) (*stand, error) {
	s, store, err := newStand(t, rate, startsLines)
	if err != nil {
		return nil, err
	}
	if err := s.rdb.HSet(ctx, lineKey, "entered", o.entries(rate)).Err(); err != nil {
		return nil, err
	}
	l := newLines(o, store.URL, s.sale)
	s.doors, s.crowd = l, newCrowd(l, o.absent)
	for i := range edges {
		if err := l.start(i); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func newStand(t testserver.Owner, rate configs.Rate, opensIn time.Duration) (*stand, *testserver.RedisServer, error) {
	store := testserver.StartRedis(t)
	rdb, err := connect(store.URL)
	if err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() { rdb.Close() })
	opens := time.Now().Add(opensIn).Truncate(time.Second).Add(time.Second)
	return &stand{rdb: rdb, sale: saleOf(opens, rate, rate.Burst())}, store, nil
}

// entries are enough people for the whole time: those who never come are called
// all the same, and some are called ahead.
func (o options) entries(rate configs.Rate) int {
	due := rate.PerSecond() * (o.seconds + settles).Seconds() / (1 - o.absent)
	return int(1.1*due+10*rate.PerSecond()) + 50
}

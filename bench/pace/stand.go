package main

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
)

// stand is a crowd before its doors, with all that it takes.
type stand struct {
	doors
	rdb   *redis.Client
	sale  *configs.Sale
	crowd *crowd
	stamp time.Duration // the length of the moment that an instant names
}

// opener sets everything up for a rate, and returns before the opening.
type opener func(context.Context, testserver.Owner, options, configs.Rate) (*stand, error)

// openDoors is three real edges with a crowd in line.
func openDoors(ctx context.Context, t testserver.Owner, o options, rate configs.Rate) (*stand, error) {
	n := o.entries(rate)
	books := testserver.StartPostgres(t)
	s, store := newStand(t, rate, startsUp+time.Duration(n/o.joins)*time.Second)
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
	s, store := newStand(t, rate, startsLines)
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

func newStand(t testserver.Owner, rate configs.Rate, opensIn time.Duration) (*stand, *testserver.RedisServer) {
	store := testserver.StartRedis(t)
	opens := time.Now().Add(opensIn).Truncate(time.Second).Add(time.Second)
	return &stand{rdb: testserver.EdgeClient(t, store.URL), sale: saleOf(opens, rate, rate.Burst())}, store
}

// entries are enough people for the whole time: those who never come are called
// all the same, and some are called ahead.
func (o options) entries(rate configs.Rate) int {
	due := rate.PerSecond() * (o.seconds + settles).Seconds() / (1 - o.absent)
	return int(1.1*due+10*rate.PerSecond()) + 50
}

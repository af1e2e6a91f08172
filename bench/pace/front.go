package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

const statusEvery = 250 * time.Millisecond // as often as edges have news

// front is three real edges with all that belongs to them. Its shoppers share
// connections; they are told apart by their cookies.
type front struct {
	balancer
	sale *configs.Sale
	said chan word

	tickets []ticket
	byPlace map[uint64]string // cookies; whole before the first head is told
	stopped context.CancelFunc
	asking  sync.WaitGroup // what is under way
}

type ticket struct {
	number uint64
	cookie string
}

// join sends so many shoppers to the doors and returns when all have a ticket.
func (f *front) join(ctx context.Context, n int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(connections)
	f.tickets = make([]ticket, n)
	for i := range n {
		group.Go(func() error {
			a, res, err := f.post(ctx, "ticket", "")
			if err != nil {
				return fmt.Errorf("join: %w", err)
			}
			if res.StatusCode != http.StatusCreated || a.Number == nil || len(res.Cookies()) == 0 {
				return fmt.Errorf("join: answer %d, state %q", res.StatusCode, a.State)
			}
			c := res.Cookies()[0]
			f.tickets[i] = ticket{*a.Number, c.Name + "=" + c.Value}
			return nil
		})
	}
	return group.Wait()
}

// open begins to read the document that everybody shares, until close.
func (f *front) open() {
	ctx, stop := context.WithCancel(context.Background())
	f.stopped = stop
	f.asking.Go(func() { f.read(ctx) })
}

func (f *front) read(ctx context.Context) {
	ticker := time.NewTicker(statusEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			a, _, err := f.ask(ctx, http.MethodGet, "status", "")
			if err != nil || a.Drawn == nil {
				continue // an edge has just gone, or it is early
			}
			if err := f.draw(a); err != nil {
				f.said <- word{kind: failed, err: err}
				return
			}
			f.said <- word{kind: called, head: min(a.Head, uint64(len(f.tickets)))}
		}
	}
}

// draw works out everybody's place, as their pages do.
func (f *front) draw(a answer) error {
	if len(f.byPlace) > 0 {
		return nil
	}
	seed, err := queueing.ParseSeed(a.Seed)
	if err != nil {
		return err
	}
	draw := queueing.NewDraw(seed, f.sale.Key, *a.Drawn, "")
	for _, t := range f.tickets {
		f.byPlace[draw.Place(t.number)] = t.cookie
	}
	return nil
}

func (f *front) words() <-chan word { return f.said }

// claim asks for the pass of a place.
func (f *front) claim(place uint64) {
	f.asking.Go(func() { f.said <- f.pass(place) })
}

func (f *front) pass(place uint64) word {
	a, res, err := f.post(context.Background(), "pass", f.byPlace[place]) // askTimeout bounds it
	w := word{place: place, wait: time.Duration(a.PollAfterMS) * time.Millisecond}
	switch {
	case err != nil:
		w.kind, w.err, w.wait = failed, err, tryAgain
	case res.StatusCode == http.StatusOK && a.Again:
		w.kind = again
	case res.StatusCode == http.StatusOK:
		w.kind, w.at = admitted, time.UnixMilli(a.AdmittedAt)
	case res.StatusCode == http.StatusTooManyRequests:
		w.kind = denied
	default:
		w.kind, w.err, w.wait = failed, fmt.Errorf("answer %d", res.StatusCode), max(w.wait, tryAgain)
	}
	return w
}

func (f *front) close() error {
	f.stopped()
	f.asking.Wait()
	close(f.said)
	var errs []error
	for i := range f.edges {
		errs = append(errs, f.stop(i))
	}
	return errors.Join(errs...)
}

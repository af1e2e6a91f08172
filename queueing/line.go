package queueing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
)

// Why the line says no.
var (
	ErrNotOpen   = errors.New("not open yet")
	ErrEnded     = errors.New("sale has ended")
	ErrPaused    = errors.New("sale is paused")
	ErrNotCalled = errors.New("place not called yet")
)

// Line is one sale's line in Redis. Any number of Lines, on any number of
// edges, are the same line. Every decision is one script on Redis time.
type Line struct {
	rdb    redis.UniversalClient
	sale   *configs.Sale
	keys   []string
	memory *memory
	enters *together[string, uint64]
	claims *together[turn, claimed]
}

// NewLine is cheap and calls nobody; after a reload make a new one. The client
// should heed the deadlines of contexts (ContextTimeoutEnabled) and must not
// retry by itself: a repeated entry would waste numbers.
func NewLine(rdb redis.UniversalClient, sale *configs.Sale) *Line {
	l := &Line{rdb: rdb, sale: sale, keys: lineKeys(sale.Key), memory: newMemory()}
	l.enters = newTogether(maxEnters(sale), l.enter)
	l.claims = newTogether(maxClaims, l.claim)
	return l
}

// Tick moves the line on and gives its picture. Every edge ticks, as often as
// it likes: the head's speed does not depend on it. With calling false the
// head stands, because there is nothing to sell at the moment. stock is what
// this edge knows of it; if its tick is the first of a turn, that is published
// with the picture (see Snapshot.Shown).
func (l *Line) Tick(ctx context.Context, calling bool, stock Stock) (*Snapshot, error) {
	call := 0
	if calling {
		call = 1
	}
	return l.tick(ctx, scriptTick, l.picture, call, stock.Left, stock.Held, stock.State)
}

func (l *Line) tick(ctx context.Context, script *redis.Script, read func(reply) (*Snapshot, remembered, error), args ...any) (*Snapshot, error) {
	r, err := l.callAgain(ctx, script, args...)
	if err != nil {
		return nil, fmt.Errorf("tick line: %w", err)
	}
	if len(r) == 0 {
		return nil, errors.New("tick line: an empty reply")
	}
	picture, published := r[:len(r)-1], r[len(r)-1]
	s, seen, err := read(picture)
	if err != nil {
		return nil, fmt.Errorf("tick line: %w", err)
	}
	l.memory.learn(seen)
	var shown reply
	if err := json.Unmarshal([]byte(published), &shown); err != nil {
		return nil, fmt.Errorf("tick line: read published picture: %w", err)
	}
	if s.Shown, _, err = read(shown); err != nil {
		return nil, fmt.Errorf("tick line: read published picture: %w", err)
	}
	return s, nil
}

// picture reads what lua/tick.lua draws.
func (l *Line) picture(r reply) (*Snapshot, remembered, error) {
	var seen remembered
	s := Snapshot{Sale: l.sale.Key, Doors: l.sale.Doors, Opens: l.sale.Opens, Closes: l.sale.Closes, Mix: l.sale.Mix}
	a := &seen.acts
	err := r.scan(&s.Now, &seen.born, &seen.seed, &seen.mixed, &seen.entered, &seen.drawn, &seen.head,
		&seen.passes, &s.Rate, &s.lead, &s.waiting,
		&a.edition, &a.paused, &a.rate, &a.burst, &a.message, &s.Stock.Left, &s.Stock.Held, &s.Stock.State)
	if err != nil {
		return nil, seen, err
	}
	s.Line = lineName(l.sale.Key, seen.born)
	s.Entered, s.Head, s.Passes = uint64(seen.entered), uint64(seen.head), uint64(seen.passes)
	s.Mixed, s.Message = seen.mixed, a.message
	s.settle(a.paused, seen.seed, seen.drawn)
	return &s, seen, nil
}

// lineName tells a sale's lines apart. A Redis that forgot everything, with no edge
// left that remembers, begins another one: its numbers are given from 0 again.
func lineName(sale string, born int64) string {
	return sale + "/" + strconv.FormatInt(born, 36)
}

// refusal is the error for a reply that says no.
func refusal(r reply) error {
	switch r.word() {
	case "not_open":
		return ErrNotOpen
	case "ended":
		return ErrEnded
	case "paused":
		return ErrPaused
	case "not_called":
		return ErrNotCalled
	case "wait":
		var us int64
		if err := r[1:2].scan(&us); err != nil {
			return err
		}
		return &WaitError{Retry: time.Duration(us) * time.Microsecond}
	}
	return nil
}

package main

import (
	"container/heap"
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// doors is what a crowd stands before: the front doors of three edges, or their
// lines alone. What they say comes through words, answers to claims among it.
type doors interface {
	claim(place uint64) // returns at once
	words() <-chan word
	start(edge int) error
	stop(edge int) error // in good order: what was asked is answered
	close() error        // stops all; words is closed once all is answered
}

// word is one thing that is said at the doors.
type word struct {
	kind  kind
	place uint64        // whose claim is answered
	head  uint64        // of called
	at    time.Time     // of admitted, on Redis's clock
	wait  time.Duration // of denied and failed: until the next try
	err   error         // of failed
}

type kind int

const (
	called   kind = iota // the head is there
	admitted             // a pass
	again                // a pass that was given before, to an answer that was lost
	denied               // no token
	failed               // nobody answered
)

// reaction is the most that somebody takes from being called to claiming: the
// page of who is nearly called asks about once a second.
const reaction = 1200 * time.Millisecond

// crowd is everybody in the line. Who is called claims a moment later, or never
// comes; who is denied comes back when told.
type crowd struct {
	doors
	absent float64 // the share that never comes
	rng    *rand.Rand
	head   uint64 // places below it have been called
	coming callers

	passes         []int64 // instants in microseconds
	denied, failed int
	fault          error // the last of the failed
}

func newCrowd(d doors, absent float64) *crowd {
	return &crowd{doors: d, absent: absent, rng: rand.New(rand.NewPCG(1, 2))}
}

// run goes on until ctx ends, and then hears what was not yet answered. Whoever
// ends ctx closes the doors.
func (c *crowd) run(ctx context.Context) {
	const beat = 2 * time.Millisecond
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			for w := range c.words() {
				c.hear(w, time.Now())
			}
			return
		case w := <-c.words():
			c.hear(w, time.Now())
		case now := <-ticker.C:
			for len(c.coming) > 0 && !c.coming[0].at.After(now) {
				c.claim(heap.Pop(&c.coming).(caller).place)
			}
		}
	}
}

func (c *crowd) hear(w word, now time.Time) {
	switch w.kind {
	case called:
		for ; c.head < w.head; c.head++ {
			if c.rng.Float64() >= c.absent {
				c.later(c.head, now, time.Duration(c.rng.Int64N(int64(reaction))))
			}
		}
	case admitted:
		c.passes = append(c.passes, w.at.UnixMicro())
	case again: // nobody saw when it was given
	case denied:
		c.denied++
		c.later(w.place, now, w.wait)
	case failed:
		c.failed, c.fault = c.failed+1, fmt.Errorf("claim of place %d: %w", w.place, w.err)
		c.later(w.place, now, w.wait)
	}
}

func (c *crowd) later(place uint64, now time.Time, wait time.Duration) {
	heap.Push(&c.coming, caller{now.Add(wait), place})
}

type caller struct {
	at    time.Time
	place uint64
}

// callers is a heap, the next one first.
type callers []caller

func (c callers) Len() int           { return len(c) }
func (c callers) Less(i, j int) bool { return c[i].at.Before(c[j].at) }
func (c callers) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *callers) Push(x any)        { *c = append(*c, x.(caller)) }
func (c *callers) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

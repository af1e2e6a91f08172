package main

import (
	"container/heap"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/internal/testserver"
	"github.com/waitroom/waitroom/queueing"
)

// walk lets a line go on for a minute, of whose places two in five do not come, and
// says where its head stood after each second, and how many passes were given.
func walk(spread float64, tick func(now float64) int, claim func(now float64, place int) (again float64, ok bool)) (heads [61]int, passes int) {
	random := rand.New(rand.NewPCG(4, 2))
	var due agenda
	called := 0
	for step := range 60*4 + 1 {
		now := float64(step) / 4
		for len(due) > 0 && due[0].at <= now {
			next := heap.Pop(&due).(plan)
			if again, ok := claim(next.at, next.who); ok {
				passes++
			} else {
				heap.Push(&due, plan{next.at + again*(1+random.Float64()/2), next.who, claims})
			}
		}
		head := tick(now)
		for ; called < head; called++ {
			if at := now + (finds+reacts)*random.Float64(); random.Float64() < 0.6 {
				if now < spread {
					at += (1.2 + spread) * random.Float64()
				}
				heap.Push(&due, plan{at, called, claims})
			}
		}
		heads[step/4] = head
	}
	return heads, passes
}

// The line that is played moves as the real one does.
func TestLineMovesAsTheRealOne(t *testing.T) {
	t.Parallel()
	const places, rate = 20_000, 20
	played := newLine(sale{line: places, rate: rate})
	want, passes := walkReal(t, places, rate, played.burst, played.spread)
	got, given := walk(played.spread, func(now float64) int {
		played.tick(now, true)
		return int(played.head)
	}, func(now float64, _ int) (float64, bool) { return played.claim(now) })
	for second, head := range got {
		if d := math.Abs(float64(head - want[second])); d > 0.1*float64(want[second])+rate {
			t.Errorf("after %d s: head %d, the real one is at %d", second, head, want[second])
		}
	}
	if d := math.Abs(float64(given - passes)); passes < 1000 || d > 0.02*float64(passes) {
		t.Errorf("%d passes, the real one gave %d", given, passes)
	}
}

// walkReal walks a line of package queueing, on a Redis whose clock is ours.
func walkReal(t *testing.T, places, rate int, burst, spread float64) ([61]int, int) {
	t.Helper()
	m := testserver.Mini(t)
	rdb := redis.NewClient(&redis.Options{Addr: m.Addr(), MaxRetries: -1})
	t.Cleanup(func() { rdb.Close() })
	at := func(now float64) { m.SetTime(opens.Add(time.Duration(now * float64(time.Second)))) }
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	check(queueing.Load(t.Context(), rdb))
	line := queueing.NewRehearsal(rdb, &configs.Sale{
		ID: "toy", Key: "toy", Doors: opens.Add(-time.Minute), Opens: opens, Closes: opens.Add(time.Hour),
		Admit: configs.Rate{Count: rate, Per: time.Second}, Burst: int(burst),
	}, queueing.Seed{1})
	tick := func(now float64) int {
		at(now)
		s, err := line.Tick(t.Context(), true, queueing.Stock{})
		check(err)
		return int(s.Head)
	}
	tick(-30)
	for entered := 0; entered < places; entered += 1000 {
		_, errs, err := line.EnterAll(t.Context(), make([]queueing.Entry, 1000))
		check(errors.Join(append(errs, err)...))
	}
	tick(-1)
	return walk(spread, tick, func(now float64, place int) (float64, bool) {
		at(now)
		_, errs, err := line.ClaimAll(t.Context(), []queueing.Turn{{Place: uint64(place)}})
		check(err)
		if wait, ok := errors.AsType[*queueing.WaitError](errs[0]); ok {
			return wait.Retry.Seconds(), false
		}
		check(errs[0])
		return 0, true
	})
}

package shedding_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/waitroom/waitroom/shedding"
)

// HopelessFrom is where Hopeless begins: what a page computes from the one
// number and what an edge computes for each shopper are the same.
func TestHopelessFromIsWhereHopelessBegins(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		odds := shedding.Question{
			Left:       rapid.IntRange(-1, 100_000).Draw(t, "left"),
			Held:       rapid.IntRange(-1, 100_000).Draw(t, "held"),
			Conversion: rapid.Float64Range(0, 1).Draw(t, "conversion"),
			Certainty:  rapid.Float64Range(0, 1).Draw(t, "certainty"),
			Ahead:      rapid.Uint64().Draw(t, "ahead"), // of no account
		}
		from, ok := shedding.HopelessFrom(odds)
		odds.Ahead = 1 << 48
		if got := shedding.Hopeless(odds); got != ok {
			t.Fatalf("%+v: a first is found: %t, but the last of all is hopeless: %t", odds, ok, got)
		}
		if !ok {
			return
		}
		if odds.Ahead = from; !shedding.Hopeless(odds) {
			t.Fatalf("%+v is not hopeless, though said to be the first", odds)
		}
		if from == 0 {
			return
		}
		if odds.Ahead = from - 1; shedding.Hopeless(odds) {
			t.Fatalf("%+v is hopeless, before the first, %d", odds, from)
		}
		odds.Ahead = rapid.Uint64Range(0, 2*from).Draw(t, "place")
		if got, want := shedding.Hopeless(odds), odds.Ahead >= from; got != want {
			t.Fatalf("%+v: hopeless %t, want %t, from %d on", odds, got, want, from)
		}
	})
}

func TestHopelessFrom(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		left, held int
		want       uint64
		ok         bool
	}{
		{0, 0, 0, true},
		{1, 0, 135, true},
		{0, 1, 135, true},
		{100, 0, 2663, true}, // as docs/tail.md has it
		{60, 40, 2663, true},
		{1000, 0, 21976, true},
		{-1, 0, 0, false},
		{math.MaxInt, math.MaxInt, 0, false},
	} {
		odds := shedding.Question{Left: test.left, Held: test.held, Conversion: shedding.PriorConversion, Certainty: shedding.DefaultCertainty}
		if got, ok := shedding.HopelessFrom(odds); got != test.want || ok != test.ok {
			t.Errorf("%d left, %d held: hopeless from %d, %t; want %d, %t", test.left, test.held, got, ok, test.want, test.ok)
		}
	}
}

func BenchmarkHopelessFrom(b *testing.B) {
	odds := shedding.Question{Left: 100, Held: 20, Conversion: shedding.PriorConversion, Certainty: shedding.DefaultCertainty}
	for b.Loop() {
		shedding.HopelessFrom(odds)
	}
}

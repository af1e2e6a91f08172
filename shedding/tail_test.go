package shedding_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/waitroom/waitroom/shedding"
)

func TestHopelessEdges(t *testing.T) {
	t.Parallel()
	const sure = shedding.DefaultCertainty
	nan := math.NaN()
	for _, test := range []struct {
		name string
		odds shedding.Question
		want bool
	}{
		{"nothing left and nothing held", shedding.Question{0, 0, 0, 0.05, sure}, true},
		{"first in line", shedding.Question{0, 1, 0, 1, sure}, false},
		{"as many units as places", shedding.Question{99, 100, 0, 1, sure}, false},
		{"everybody buys and one is too many", shedding.Question{100, 100, 0, 1, sure}, true},
		{"held units count", shedding.Question{100, 50, 51, 1, sure}, false},
		{"only held units", shedding.Question{50, 0, 51, 1, sure}, false},
		{"the last unit, a few ahead", shedding.Question{134, 1, 0, 0.05, sure}, false},   // 0.95^134 = 0.00104
		{"the last unit, one more ahead", shedding.Question{135, 1, 0, 0.05, sure}, true}, // 0.95^135 = 0.00098
		{"at the mean", shedding.Question{2000, 100, 0, 0.05, sure}, false},
		{"far behind", shedding.Question{20_000, 100, 0, 0.05, sure}, true},
		{"a million behind a hundred", shedding.Question{1_000_000, 100, 0, 0.05, sure}, true},
		{"the end of all lines", shedding.Question{math.MaxUint64, 100, 0, 0.05, sure}, true},

		{"unknown conversion", shedding.Question{1_000_000, 100, 0, 0, sure}, false},
		{"negative conversion", shedding.Question{1_000_000, 100, 0, -0.1, sure}, false},
		{"conversion above one", shedding.Question{1_000_000, 100, 0, 1.1, sure}, false},
		{"conversion not a number", shedding.Question{1_000_000, 100, 0, nan, sure}, false},
		{"a tiny conversion", shedding.Question{1_000_000, 100, 0, 1e-300, sure}, false},
		{"no certainty", shedding.Question{1_000_000, 100, 0, 0.05, 0}, false},
		{"full certainty", shedding.Question{1_000_000, 100, 0, 0.05, 1}, false},
		{"certainty not a number", shedding.Question{1_000_000, 100, 0, 0.05, nan}, false},
		{"a negative count", shedding.Question{1_000_000, -1, 0, 0.05, sure}, false},
		{"a negative hold", shedding.Question{1_000_000, 0, -1, 0.05, sure}, false},
		{"counts that overflow", shedding.Question{1_000_000, math.MaxInt, math.MaxInt, 0.05, sure}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := shedding.Hopeless(test.odds); got != test.want {
				t.Errorf("Hopeless(%+v) = %t, want %t", test.odds, got, test.want)
			}
		})
	}
}

var (
	someUnits       = []int{1, 2, 3, 10, 100, 1000}
	someConversions = []float64{0.001, 0.05, 0.3, 0.5, 0.95, 0.999}
	someCertainties = []float64{0.5, 0.9, 0.999, 0.999999}
)

// searched is where firstHopeless stops looking.
const searched = 1 << 40

// firstHopeless is the fewest people ahead for whom the place is hopeless.
func firstHopeless(units int, conversion, certainty float64) uint64 {
	odds := shedding.Question{Left: units, Conversion: conversion, Certainty: certainty}
	low, high := uint64(0), uint64(searched)
	for low < high {
		odds.Ahead = low + (high-low)/2
		if shedding.Hopeless(odds) {
			high = odds.Ahead
		} else {
			low = odds.Ahead + 1
		}
	}
	return low
}

// The bound is proven and close: the first hopeless place is hopeless by the
// exact sum too, and at most 5 % behind the first that is, or 2 % where more
// certainty than 0.99 is asked for.
func TestHopelessAgainstExactSums(t *testing.T) {
	t.Parallel()
	for _, units := range someUnits {
		for _, conversion := range someConversions {
			for _, certainty := range someCertainties {
				first := firstHopeless(units, conversion, certainty)
				allowed := new(big.Float).Sub(big.NewFloat(1), big.NewFloat(certainty))
				if exact := exactTail(first, units-1, conversion); exact.Cmp(allowed) > 0 {
					t.Errorf("%d units, conversion %v, certainty %v: %d ahead are called hopeless, P = %.6g",
						units, conversion, certainty, first, exact)
				}
				if certainty < 0.9 {
					continue // proven, but not close
				}
				nearer := first - first/50 - 2
				if certainty < 0.99 {
					nearer = first - first/20 - 2
				}
				if int64(nearer) < int64(units) {
					continue
				}
				if exact := exactTail(nearer, units-1, conversion); exact.Cmp(allowed) <= 0 {
					t.Errorf("%d units, conversion %v, certainty %v: %d ahead are not called hopeless though P = %.6g; the first is %d",
						units, conversion, certainty, nearer, exact, first)
				}
			}
		}
	}
}

// exactTail is P(X <= k) for X of the binomial distribution (n, p), summed term
// by term with 256 bits.
func exactTail(n uint64, k int, p float64) *big.Float {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(256).SetFloat64(x) }
	q := number(1)
	q.Sub(q, number(p))
	term := number(1)
	for base, left := new(big.Float).Copy(q), n; left > 0; left /= 2 {
		if left%2 == 1 {
			term.Mul(term, base)
		}
		base.Mul(base, base)
	}
	odds := number(0).Quo(number(p), q)
	sum := new(big.Float).Copy(term)
	for i := 1; i <= k; i++ {
		term.Mul(term, odds)
		term.Mul(term, number(float64(n)-float64(i)+1))
		term.Quo(term, number(float64(i)))
		sum.Add(sum, term)
	}
	return sum
}

func TestHopelessIsMonotoneInAhead(t *testing.T) {
	t.Parallel()
	for _, units := range append(someUnits, 1_000_000, 1<<30) {
		for _, conversion := range append(someConversions, 1e-6, 1) {
			for _, certainty := range someCertainties {
				odds := shedding.Question{Left: units, Conversion: conversion, Certainty: certainty}
				first := firstHopeless(units, conversion, certainty)
				if first == searched {
					continue // nobody is, this side of the end of all lines
				}
				for step := range uint64(2000) {
					// Each place around the border, and ever wider strides beyond it.
					for _, ahead := range []uint64{first + step, first + step*step*step} {
						if odds.Ahead = ahead; !shedding.Hopeless(odds) {
							t.Fatalf("%+v is not hopeless, though %d ahead are", odds, first)
						}
					}
					if odds.Ahead = first - 1 - step; odds.Ahead < first && shedding.Hopeless(odds) {
						t.Fatalf("%+v is hopeless, though %d ahead are the first", odds, first)
					}
				}
			}
		}
	}
}

// More units, a lower conversion or a higher certainty never take hope away.
func TestHopeGrowsWithEachOfItsReasons(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		odds := shedding.Question{
			Ahead: random.Uint64N(10_000), Left: random.IntN(200), Held: random.IntN(200),
			Conversion: 1 - random.Float64(), Certainty: 0.5 + random.Float64()/2.001,
		}
		if shedding.Hopeless(odds) {
			continue
		}
		for _, better := range []shedding.Question{
			{odds.Ahead, odds.Left + 1, odds.Held, odds.Conversion, odds.Certainty},
			{odds.Ahead, odds.Left, odds.Held + 1, odds.Conversion, odds.Certainty},
			{odds.Ahead, odds.Left, odds.Held, odds.Conversion * 0.9, odds.Certainty},
			{odds.Ahead, odds.Left, odds.Held, odds.Conversion, odds.Certainty + (1-odds.Certainty)/2},
		} {
			if shedding.Hopeless(better) {
				t.Fatalf("%+v is hopeless though %+v is not", better, odds)
			}
		}
	}
}

// Of those told that they are hopeless, at most 1 - Certainty would have got a
// unit had they stayed: the worst place of each sale, played many times.
func TestHopelessAgainstPlayedSales(t *testing.T) {
	t.Parallel()
	const rounds, certainty = 20_000, 0.95
	random := rand.New(rand.NewPCG(7, 8))
	for _, units := range []int{1, 5, 20} {
		for _, conversion := range []float64{0.05, 0.25, 0.95} {
			ahead := firstHopeless(units, conversion, certainty)
			if ahead > 1000 {
				t.Fatalf("%d units, conversion %v: hopeless from %d ahead only, too many to play", units, conversion, ahead)
			}
			won := 0
			for range rounds {
				bought := 0
				for range ahead {
					if random.Float64() < conversion {
						bought++
					}
				}
				if bought < units {
					won++
				}
			}
			share := float64(won) / rounds
			noise := 3 * math.Sqrt(certainty*(1-certainty)/rounds)
			if share > 1-certainty+noise {
				t.Errorf("%d units, conversion %v, %d ahead: %.4f of the hopeless would have won, want at most %.4f",
					units, conversion, ahead, share, 1-certainty)
			}
		}
	}
}

func BenchmarkHopeless(b *testing.B) {
	odds := shedding.Question{Ahead: 3000, Left: 100, Held: 20, Conversion: 0.05, Certainty: shedding.DefaultCertainty}
	b.ReportAllocs()
	for b.Loop() {
		shedding.Hopeless(odds)
	}
}

package shedding

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// atMostExactly is the sum of the probabilities up to c, by adding one trial after the
// other.
func atMostExactly(c int, t trials) (sum float64) {
	p := []float64{1}
	for range int(t.n) {
		p = append(p, 0)
		for k := len(p) - 1; k > 0; k-- {
			p[k] = p[k]*(1-t.p) + p[k-1]*t.p
		}
		p[0] *= 1 - t.p
	}
	for k, p := range p {
		if k <= c {
			sum += p
		}
	}
	return sum
}

// The bound is one, and close: never below the exact sum, and at most a third above
// it where it is used, in the tail.
func TestBoundAgainstExactSums(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ahead := trials{float64(rapid.IntRange(0, 300).Draw(t, "ahead")), rapid.Float64Range(0, 1).Draw(t, "buy")}
		c := rapid.IntRange(0, 100).Draw(t, "c")
		exact, bound := atMostExactly(c, ahead), math.Exp(ahead.logAtMost(float64(c)))
		if bound < exact*(1-1e-9)-1e-10 { // one of 2^40 who are certain fails
			t.Fatalf("bound %g, the exact sum is %g", bound, exact)
		}
	})
	for _, ahead := range []trials{{135, 0.05}, {447, 0.05}, {2658, 0.05}, {428, 0.3}, {144, 0.8}, {3000, 0.01}} {
		mean, deviation := ahead.n*ahead.p, math.Sqrt(ahead.n*ahead.p*(1-ahead.p))
		for _, away := range []float64{2.5, 3, 4} {
			c := int(mean - away*deviation)
			if c < 1 {
				continue
			}
			exact, bound := atMostExactly(c, ahead), math.Exp(ahead.logAtMost(float64(c)))
			if bound > 1.35*exact {
				t.Errorf("%+v, at most %d: %g, the exact sum is %g", ahead, c, bound, exact)
			}
		}
	}
}

// The fewest are enough, and by the exact sum at most 5 % more than are needed.
func TestFewestAgainstExactSums(t *testing.T) {
	t.Parallel()
	for _, units := range []int{1, 2, 10, 100} {
		for _, p := range []float64{0.01, 0.05, 0.3, 0.8} {
			for _, chance := range []float64{0.01, 0.001} {
				n, ok := fewest(units, p, math.Log(chance))
				if !ok {
					t.Fatalf("%d units, %v: nobody", units, p)
				}
				if exact := atMostExactly(units-1, trials{float64(n), p}); exact > chance {
					t.Errorf("%d units, %v: %d ahead, %g by the exact sum, want %v", units, p, n, exact, chance)
				}
				if nearer := float64(n) - float64(n)*5/100 - 2; nearer > 0 && atMostExactly(units-1, trials{math.Floor(nearer), p}) <= chance {
					t.Errorf("%d units, %v: %d ahead, though %v are enough by the exact sum", units, p, n, math.Floor(nearer))
				}
			}
		}
	}
}

// So many leave one with the probability that is asked for, and close to no more do.
func TestMostAgainstExactSums(t *testing.T) {
	t.Parallel()
	for _, units := range []int{1, 2, 10, 100} {
		for _, p := range []float64{0.01, 0.3, 0.8, 1} {
			n, ok := most(units, p, math.Log(0.2))
			if !ok {
				t.Fatalf("%d units, %v: none", units, p)
			}
			if gone := 1 - atMostExactly(units-1, trials{float64(n), p}); gone > 0.2+1e-9 {
				t.Errorf("%d units, %v: %d ahead leave none with %v", units, p, n, gone)
			}
			if p == 1 && n != uint64(units-1) {
				t.Errorf("%d units, all buy: %d ahead, want %d", units, n, units-1)
			}
		}
	}
}

// More ahead and a higher share never give more hope; more units and more certainty
// never less.
func TestFewestIsMonotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.IntRange(1, 10_000).Draw(t, "units")
		p := rapid.Float64Range(1e-4, 1).Draw(t, "buy")
		limit := -rapid.Float64Range(0.1, 15).Draw(t, "limit")
		from := func(units int, p, limit float64) uint64 {
			n, ok := fewest(units, p, limit)
			if !ok {
				return longestLine
			}
			return n
		}
		is := from(units, p, limit)
		further := is + uint64(rapid.IntRange(0, 1_000_000).Draw(t, "further"))
		if is < longestLine && (trials{float64(further), p}).logAtMost(float64(units-1)) > limit {
			t.Fatalf("%d ahead are not enough, though %d are", further, is)
		}
		// The bound is a little sharper for some numbers than for their neighbours.
		slack := func(n uint64) uint64 { return n + n/100 + 2 }
		for what, easier := range map[string]uint64{
			"a unit less":      from(units-1+boolean(units == 1), p, limit),
			"more who buy":     from(units, min(1, p*1.1), limit),
			"less to be shown": from(units, p, limit*0.9),
		} {
			if easier > slack(is) {
				t.Errorf("%s: %d, before %d", what, easier, is)
			}
		}
	})
}

func boolean(is bool) int {
	if is {
		return 1
	}
	return 0
}

func TestBoundSaysNothingInDoubt(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, test := range []struct {
		units int
		p     float64
	}{{100, 0}, {100, nan}, {100, -1}, {1 << 31, 0.5}} {
		if n, ok := fewest(test.units, test.p, math.Log(0.001)); ok {
			t.Errorf("%d units, %v: %d ahead are hopeless", test.units, test.p, n)
		}
	}
	if n, ok := fewest(100, 1, math.Log(0.001)); !ok || n != 100 {
		t.Errorf("100 units, all buy: %d, %t, want 100", n, ok)
	}
}

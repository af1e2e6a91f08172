package main

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/shedding"
)

// small is a run that takes some seconds.
func small(t *testing.T, rule func(shedding.Tail, shedding.Terms, shedding.Sight) shedding.Tail) result {
	t.Helper()
	r, err := measure(t.Context(), options{sales: 60, seed: 3, certainty: 0.99, rule: rule})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Of those told that it is hopeless at most 1 in 100 would have got a unit, and in
// these sales at most 1 in 1000, on average over the sales 1 in 500; many are told, nothing is left over for want
// of them, and the words are true.
func TestWhoIsToldWouldNotHaveWon(t *testing.T) {
	t.Parallel()
	r := small(t, nil)
	if r.plain.sales < 10 || r.told < r.line/4 {
		t.Errorf("%d of %d told, in %d sales: too few to say anything", r.told, r.line, r.plain.sales)
	}
	if got := r.plain.got / r.plain.willing; got > 0.001 || r.plain.each > 0.002 {
		t.Errorf("%.5f of those told would have won, %.5f on average over the sales; want 0.001 and 0.002 at most", got, r.plain.each)
	}
	if r.idle > 0 {
		t.Errorf("%d units left over while somebody willing waited", r.idle)
	}
	if r.most > 4 {
		t.Errorf("a shopper was called back %d times", r.most)
	}
	for word, bound := range map[shedding.Word]func(share float64) bool{
		shedding.Good:  func(share float64) bool { return share >= 0.8 },
		shedding.Small: func(share float64) bool { return share <= 0.1 },
	} {
		n := r.words[word]
		if share := float64(n[1]) / float64(n[0]); n[0] < 20 || !bound(share) {
			t.Errorf("%s: said %d times, %d got one", word, n[0], n[1])
		}
	}
}

// A file that tells the truth is safe, however many units come back: those who are
// called shortly before all is gone find nothing, and take nothing of what comes back
// to all who were ever called.
func TestTruthfulFile(t *testing.T) {
	t.Parallel()
	var willing, got float64
	for i := range uint64(6) {
		s := sale{
			line: 20_000, stock: 100, rate: 10, lasts: 7200, tick: 0.5, hold: 600,
			come: 0.7, back: 0.3, buy: 0.4, keep: 0.5,
		}
		s.terms = shedding.Terms{Certainty: 0.999, Conversion: s.truth(), PerAccount: 1}
		r := newPlay(s, rand.New(rand.NewPCG(3, i))).run()
		willing += r.willing
		got += float64(r.got)
	}
	if willing < 1000 || got/willing > 0.001 {
		t.Errorf("%.0f of %.0f told would have won, want 1 in 1000 at most", got, willing)
	}
}

// A rule that takes everybody to buy, and one in four units to be left, is found out.
func TestWrongRuleIsFoundOut(t *testing.T) {
	t.Parallel()
	wrong := func(tail shedding.Tail, terms shedding.Terms, s shedding.Sight) shedding.Tail {
		terms.Conversion, s.Rate = 1, 0
		s.Left, s.Held = (s.Left+3)/4, (s.Held+3)/4
		return tail.Next(terms, s)
	}
	if r := small(t, wrong); r.plain.each <= 0.01 {
		t.Errorf("%.4f of those told would have won, on average over the sales: the measure finds nothing", r.plain.each)
	}
}

// The same seed plays the same sales, on however many processors.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	play := func() string {
		r, err := measure(t.Context(), options{sales: 12, seed: 5, certainty: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		return table([]result{r}, 0, 12, 5) + plot([]result{r})
	}
	first, again := play(), play()
	if first != again || !strings.Contains(first, "12 sales") {
		t.Errorf("one seed, two outcomes:\n%s\n%s", first, again)
	}
}

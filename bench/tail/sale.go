package main

import (
	"math"
	"math/rand/v2"

	"github.com/waitroom/waitroom/shedding"
)

// sale is one sale, and the crowd that comes to it.
type sale struct {
	terms shedding.Terms
	line  int // places
	stock int
	rate  float64 // passes a second
	lasts float64 // seconds
	tick  float64 // seconds between two looks
	hold  float64 // seconds

	come  float64 // of those called, at the opening
	back  float64 // of those who do not come: use the turn they missed, later
	buy   float64 // of those admitted
	keep  float64 // of those with a unit: pay for it
	rush  bool    // they pay at once
	fades float64 // seconds after which 1/e of those who came still does; 0: it stays

	restock   int     // units that are added
	restockAt float64 // seconds after the opening
}

// files are what sale files say of the true share of those called who buy and pay.
var files = []float64{0.25, 0.5, 1}

// anySale is one of all that there may be.
func anySale(random *rand.Rand, certainty float64) sale {
	between := func(least, most float64) float64 { return least + (most-least)*random.Float64() }
	// about is as likely in each of its powers.
	about := func(least, most float64) float64 { return least * math.Pow(most/least, random.Float64()) }
	s := sale{
		line: int(about(10, 1e6)), stock: int(about(1, 1e4)), rate: about(1, 2000),
		lasts: about(600, 7200), tick: []float64{0.25, 1, 2}[random.IntN(3)],
		come: between(0.4, 1), back: between(0, 0.5), buy: between(0.05, 0.95), keep: between(0.5, 1),
	}
	s.terms = shedding.Terms{Certainty: certainty, PerAccount: 1}
	s.hold, s.rush = about(120, 900), random.IntN(3) == 0
	s.terms.Conversion = files[random.IntN(len(files))] * s.truth()
	if random.IntN(3) == 0 {
		s.fades = about(600, 7200)
	}
	if random.IntN(4) == 0 {
		s.restock, s.restockAt = max(1, s.stock*random.IntN(50)/100), between(0, s.lasts)
	}
	return s
}

// truth is the share of those called who would buy and pay, if nobody lost interest.
func (s sale) truth() float64 { return (s.come + (1-s.come)*s.back) * s.buy * s.keep }

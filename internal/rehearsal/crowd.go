package rehearsal

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// stage is how far a shopper has come.
type stage uint8

const (
	outside  stage = iota // has not pressed yet
	lottery               // waits for the draw, or has not seen what came of it
	waiting               // has seen a place, waits to be called
	called                // knows, and is about to claim
	stranded              // may claim or has a pass, but nothing is left for now
	admitted              // has a pass, and has not decided yet
	holding               // has a unit, and time to pay
	gone                  // has an answer, or has given up

	stages = int(gone) + 1
)

// answer is the last word that a shopper was told.
type answer uint8

const (
	noAnswer answer = iota // or a pass
	toldHopeless
	toldSoldOut
	toldEnded

	answers = int(toldEnded) + 1
)

// shopper is one of the crowd. A million of them take 32 MB.
type shopper struct {
	joined moment
	since  moment // of asking for a pass; once it is given, its end
	number uint32
	place  uint32 // once drawn
	stage  stage
	answer answer
	looked bool // at the place, once
	away   bool // the page is closed, and is opened again later
	missed bool // was away when called
	passed bool // was given a pass
	stays  bool // although nothing was left for now
}

// arrivals are the moments at which the crowd presses for the first time, in
// order: shopper i is the i-th to come.
func arrivals(sale *configs.Sale, n int, rng *rand.Rand) []moment {
	span := func(d time.Duration) time.Duration { return time.Duration(rng.Float64() * float64(d)) }
	mean := func(d time.Duration) time.Duration { return time.Duration(rng.ExpFloat64() * float64(d)) }
	doors := sale.Opens.Sub(sale.Doors)
	all := make([]moment, n)
	for i := range all {
		var t time.Time
		switch share := rng.Float64(); {
		case share < earlyBirds:
			t = sale.Doors.Add(-span(early))
		case share < earlyBirds+late:
			t = sale.Opens.Add(min(mean(lateMean), sale.Closes.Sub(sale.Opens)-time.Second))
		case rng.Float64() < rush:
			t = sale.Opens.Add(-min(mean(rushMean), doors))
		default:
			t = sale.Doors.Add(span(doors))
		}
		all[i] = when(t)
	}
	slices.Sort(all)
	return all
}

package rehearsal

import (
	"slices"
	"time"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/queueing"
)

// stage is how far a shopper has come.
type stage uint8

const (
	outside  stage = iota // has not pressed yet
	lottery               // waits for the draw, or has not seen what came of it
	waiting               // has seen a place, waits to be called
	shed                  // was told that it is hopeless, and waits no more, but for being called back
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
	again  bool // was called back, after being told that it is hopeless
}

// entry is what the shopper was given on entering.
func (s *shopper) entry() queueing.Number { return queueing.Number{Value: uint64(s.number)} }

// turn is what the shopper claims a pass for.
func (s *shopper) turn() queueing.Turn { return queueing.Turn{Place: uint64(s.place)} }

// people are everybody who comes.
type people struct {
	coming  []moment     // who has not pressed yet, from the first on
	crowd   []shopper    // in the order of their first press
	byPlace []uint32     // who stands there, plus one
	stuck   []uint32     // those who are stranded
	count   [stages]int  // shoppers in each stage
	told    [answers]int // shoppers by the last word they got
	early   int          // pages that wait for the doors
	closed  int          // pages that are closed, of those who wait
}

func newPeople(sale *configs.Sale, n int, by chance) people {
	p := people{coming: arrivals(sale, n, by), crowd: make([]shopper, n), byPlace: make([]uint32, n)}
	p.count[outside] = n
	return p
}

// move takes a shopper to another stage.
func (p *people) move(i uint32, to stage) {
	s := &p.crowd[i]
	p.count[s.stage]--
	s.stage = to
	p.count[to]++
}

// arrivals are the moments at which the crowd presses for the first time, in
// order: shopper i is the i-th to come.
func arrivals(sale *configs.Sale, n int, by chance) []moment {
	doors := sale.Opens.Sub(sale.Doors)
	all := make([]moment, n)
	for i := range all {
		var t time.Time
		switch share := by.Float64(); {
		case share < earlyBirds:
			t = sale.Doors.Add(-by.upTo(early))
		case share < earlyBirds+late:
			t = sale.Opens.Add(min(by.mean(lateMean), sale.Closes.Sub(sale.Opens)-time.Second))
		case by.of(rush):
			t = sale.Opens.Add(-min(by.mean(rushMean), doors))
		default:
			t = sale.Doors.Add(by.upTo(doors))
		}
		all[i] = when(t)
	}
	slices.Sort(all)
	return all
}

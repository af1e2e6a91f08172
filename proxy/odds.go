package proxy

import (
	"github.com/waitroom/waitroom/queueing"
	"github.com/waitroom/waitroom/shedding"
)

// odds is what is published of the chances of all who wait, for one picture of the
// line: whoever asks, and at whichever edge, is told the same.
type odds struct {
	head          uint64         // of that picture
	hopelessAhead *uint64        // with so many ahead of that head, or more; nil: nobody is
	words         *shedding.Odds // nil: nothing can be told
}

// oddsOf reads them from a published picture.
func oddsOf(shown *queueing.Snapshot) odds {
	o := odds{head: shown.Head}
	if !shown.Drawn || shown.Stock.Tail == "" {
		return o
	}
	tail := shedding.ParseTail(shown.Stock.Tail)
	if tail == (shedding.Tail{}) { // of an edge of another version
		return o
	}
	words := tail.Odds(o.head)
	o.words = &words
	if from, ok := tail.HopelessAhead(o.head); ok {
		o.hopelessAhead = &from
	}
	return o
}

// ahead is how many there are before a place in the published picture.
func (o odds) ahead(place uint64) uint64 { return place - min(place, o.head) }

// hopeless is the verdict on one who waits at a place.
func (o odds) hopeless(place uint64) bool {
	return o.hopelessAhead != nil && o.ahead(place) >= *o.hopelessAhead
}

// word is what is said of the chance at a place; empty: nothing. What is hopeless is
// small, however carefully that word is given else.
func (o odds) word(place uint64) shedding.Word {
	switch {
	case o.words == nil || place < o.head:
		return ""
	case o.hopeless(place):
		return shedding.Small
	default:
		return o.words.Word(o.ahead(place))
	}
}

package ledger

import (
	"iter"
	"time"

	"github.com/waitroom/waitroom/gate"
)

// catch are winners that one bucket's reader has in hand.
type catch struct {
	reader  *gate.Reader
	winners []gate.Winner
	at      time.Time
}

// batch is what is settled at once: catches of any buckets of one sale.
type batch struct {
	catches []catch
	fresh   map[string]gate.Note // first notes of the orders that came of it
}

// batches gathers what is there, up to most winners at a time, and waits for
// nothing but the first: a lonely winner is written at once, and a crowd shares
// its transactions. A catch of at most so many is never divided.
func batches(caught <-chan catch, most int) iter.Seq[batch] {
	return func(yield func(batch) bool) {
		for first, ok := <-caught; ok; {
			b, next := gather(first, caught, most)
			if !yield(b) {
				return
			}
			if first = next; first.reader == nil {
				first, ok = <-caught
			}
		}
	}
}

// gather takes catches behind the first for as long as they are there and fit. It
// returns the one that did not fit, or an empty one.
func gather(first catch, caught <-chan catch, most int) (b batch, next catch) {
	b.catches = []catch{first}
	for n := len(first.winners); n < most; {
		select {
		case c, ok := <-caught:
			if n += len(c.winners); !ok || n > most {
				return b, c
			}
			b.catches = append(b.catches, c)
		default:
			return b, catch{}
		}
	}
	return b, catch{}
}

// winners are all that were caught.
func (b batch) winners() []gate.Winner {
	if len(b.catches) == 1 {
		return b.catches[0].winners
	}
	var ws []gate.Winner
	for _, c := range b.catches {
		ws = append(ws, c.winners...)
	}
	return ws
}

// notesOf are the first notes of a catch.
func (b batch) notesOf(c catch) []gate.Note {
	notes := make([]gate.Note, 0, len(c.winners))
	for _, x := range c.winners {
		if n, ok := b.fresh[x.Reservation]; ok {
			notes = append(notes, n)
		}
	}
	return notes
}

// entries names what a catch is acknowledged by.
func (c catch) entries() []string {
	entries := make([]string, 0, len(c.winners))
	for _, x := range c.winners {
		entries = append(entries, x.Entry)
	}
	return entries
}

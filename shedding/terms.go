package shedding

import (
	"math"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// Terms are what a sale's file says about who is told no.
type Terms struct {
	Since       time.Time // when the file came to say so, on the line's clock
	Off         bool      // nobody is
	Certainty   float64   // in (0, 1): how sure a no must be
	LinePerUnit int       // instead of it: with so many ahead for each unit; 0: by Certainty
	Conversion  float64   // in (0, 1]: of those called, the share who are expected to buy and pay
	PerAccount  int       // units of one order at most
	Invitations int       // so many may buy who have no place in the line
}

// TermsOf are the terms of a sale, from ever on.
func TermsOf(sale *configs.Sale) Terms {
	return Terms{
		Off: sale.Shed.Off, Certainty: sale.Shed.Certainty, LinePerUnit: sale.Shed.LinePerUnit,
		Conversion: sale.Conversion, PerAccount: sale.PerAccount, Invitations: sale.Invitations,
	}
}

// Sight is what one look at a line and its gate tells.
type Sight struct {
	Now  time.Time // on the line's clock
	Open bool      // the draw is held, the line calls and the gate sells: neither is paused

	Head uint64  // places below it were called
	Rate float64 // passes a second at most

	Left int // units to be had now, those in transit too
	Held int // units of orders that are not paid, which may come back
	Paid int // units of orders that are

	Won    uint64 // orders that were ever told yes
	Lapsed uint64 // orders that were given back since: not paid in time, cancelled
}

// most are the units of one order at most.
func (t Terms) most() int { return max(t.PerAccount, 1) }

// sound reports whether a sight can be: a gate that is being rebuilt may say
// anything.
func (s Sight) sound() bool {
	return min(s.Left, s.Held, s.Paid) >= 0 && max(s.Left, s.Held, s.Paid) <= maxUnits &&
		s.Lapsed <= s.Won && s.Won <= nowhere && s.Head <= longestLine && s.Rate >= 0 && s.Rate <= longestLine
}

// units are those that may still be had.
func (s Sight) units() int { return s.Left + s.Held }

// racing is how many places are called in the time that somebody takes from being
// called to buying, at two for each pass. Those who are called so shortly before
// somebody else may well buy later, so they do not count as ahead.
func (s Sight) racing() uint64 { return uint64(math.Ceil(2 * reaction.Seconds() * s.Rate)) }

// reaction is how long people take from being called to buying, but for a few.
const reaction = 20 * time.Second

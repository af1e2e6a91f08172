package shedding

import (
	"math"
	"time"
)

// agreed are the terms that hold for a whole line, as they are written with its
// verdict: shares in billionths, and since when in Unix milliseconds.
//
// While a file is changed on one machine after the other, edges hold different ones.
// If each went by its own, the verdict would go back and forth with every look, and
// who was told would not stay told. So the terms that came last hold, and an edge
// whose file is older goes on under them.
type agreed struct{ since, off, certainty, linePerUnit, conversion, perAccount, invitations uint64 }

// billion is how many parts of a share are told apart.
const billion = 1e9

func (t Terms) agreed() agreed {
	share := func(f float64) uint64 {
		if !(f > 0) { // a NaN too
			return 0
		}
		return uint64(math.Round(min(f, 1) * billion))
	}
	count := func(n int) uint64 { return uint64(min(max(n, 0), nowhere)) }
	a := agreed{
		since: uint64(max(t.Since.UnixMilli(), 0)), certainty: share(t.Certainty), linePerUnit: count(t.LinePerUnit),
		conversion: share(t.Conversion), perAccount: count(t.PerAccount), invitations: count(t.Invitations),
	}
	if t.Off {
		a.off = 1
	}
	return a
}

// terms are those that were agreed.
func (a agreed) terms() Terms {
	return Terms{
		Since: time.UnixMilli(int64(a.since)), Off: a.off > 0, Certainty: float64(a.certainty) / billion,
		LinePerUnit: int(a.linePerUnit), Conversion: float64(a.conversion) / billion,
		PerAccount: int(a.perAccount), Invitations: int(a.invitations),
	}
}

// with are the terms that hold where an edge's own file says something else: its own
// if that came to say so later.
func (a agreed) with(own agreed) agreed {
	same := own
	same.since = a.since
	if same == a || own.since <= a.since {
		return a
	}
	return own
}

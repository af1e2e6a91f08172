package ledger

import (
	"time"

	"github.com/waitroom/waitroom/gate"
)

// Two gates can be kept from the same books: of workers with one Postgres and two
// Redis. Each rebuild of one makes the other look like an older copy, so that both are
// rebuilt again and again.

// rivalry is how soon two signs of another gate must come to be believed, and how
// often they are told of.
const rivalry = time.Minute

// rivals are the signs that another gate is kept from the same books.
type rivals struct {
	epoch uint64    // in which this gate was open when it was last looked at
	last  time.Time // of the last sign
	said  time.Time // when they were last told of
}

// sign reports whether another gate must be kept from the books. A sign of it is that
// they know of a rebuild, and that this gate is open and as it was before: a rebuild
// begins with closing. A failover that forgot a rebuild looks the same, but not twice
// in so short a time.
func (r *rivals) sign(snap gate.Snapshot, seen gate.Mark, now time.Time) bool {
	if !snap.Open() || snap.Mark.Epoch != r.epoch || seen.Epoch <= r.epoch {
		return false
	}
	again := !r.last.IsZero() && now.Sub(r.last) < rivalry
	r.last = now
	return again
}

// silent reports whether they were told of lately; if not, they are now.
func (r *rivals) silent(now time.Time) bool {
	if !r.said.IsZero() && now.Sub(r.said) < rivalry {
		return true
	}
	r.said = now
	return false
}

package gate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/redis/go-redis/v9"
)

// What a caller of the gate acts on.
var (
	ErrClosed    = errors.New("gate is closed")                       // missing, older or being rebuilt
	ErrBacklog   = errors.New("too many winners wait for the ledger") // I9: closed until the worker catches up
	ErrSoldOut   = errors.New("no unit left")
	ErrBusy      = errors.New("units are on the move between buckets") // nothing was taken; ask again
	ErrKeyReused = errors.New("idempotency key used with another body")
	ErrTooMany   = errors.New("more units than one reservation may have")
)

// AlreadyBoughtError says that the account or the ticket has a reservation out.
// There is one at a time, whatever its units: the books have one live order an
// account.
type AlreadyBoughtError struct {
	Reservation string // the one it has
}

func (e *AlreadyBoughtError) Error() string { return "already bought" }

// Mark orders the states that a gate has been in: a rebuild raises Epoch, every
// other change raises Moves. A gate whose mark is below one already seen is an
// older copy; so is one that came to such a mark another way, which shows by the
// stamps of its moves.
type Mark struct {
	Epoch, Moves uint64
}

// Before reports whether m is older than n.
func (m Mark) Before(n Mark) bool {
	return m.Epoch < n.Epoch || m.Epoch == n.Epoch && m.Moves < n.Moves
}

// Gate is one sale's gate. It is safe for concurrent use and needs no closing.
// It remembers the newest state that it has seen of each bucket, so keep one as
// long as its sale has this key and so many buckets.
type Gate struct {
	rdb     redis.UniversalClient
	key     string
	buckets []keys
	convoys []*convoy // of what each buyer asks, one for each bucket

	turn chan struct{} // whose it is to gather

	mu     sync.Mutex
	seen   []Mark     // of each bucket, the newest
	stamps []uint64   // and when it came to be; zero when that is not known
	last   collection // of the last Look
	next   *gathering // that has not begun; nil: none
}

// New returns the gate of the sale that the stores know under key
// (configs.Sale.Key), in so many buckets (configs.Sale.Buckets), at least one. It
// does no I/O. The client should heed the deadlines of contexts
// (ContextTimeoutEnabled) and must not retry by itself: an outcome in doubt is
// resolved here, by asking again with the same id.
func New(rdb redis.UniversalClient, key string, buckets int) *Gate {
	g := &Gate{rdb: rdb, key: key, turn: make(chan struct{}, 1), seen: make([]Mark, max(1, buckets))}
	g.stamps = make([]uint64, len(g.seen))
	for i := range g.seen {
		g.buckets = append(g.buckets, keysOf(key, i))
		g.convoys = append(g.convoys, newConvoy(g.pipe))
	}
	return g
}

// Built returns in how many buckets a gate was built last; zero, if there is none.
func Built(ctx context.Context, rdb redis.UniversalClient, key string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	state, err := rdb.HMGet(ctx, keysOf(key, 0).state, "epoch", "buckets").Result()
	switch {
	case redis.HasErrorPrefix(err, "WRONGTYPE"): // the first look makes away with it
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("read buckets of gate %s: %w", key, err)
	case state[0] == nil:
		return 0, nil
	case state[1] == nil:
		return 1, nil
	}
	n, err := strconv.Atoi(state[1].(string)) // all values of a hash are
	if err != nil {
		return 0, fmt.Errorf("read buckets of gate %s: %w", key, err)
	}
	return n, nil
}

// Buckets is how many buckets the gate has.
func (g *Gate) Buckets() int { return len(g.buckets) }

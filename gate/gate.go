package gate

import (
	"errors"

	"github.com/redis/go-redis/v9"
)

// What a caller of the gate acts on.
var (
	ErrClosed    = errors.New("gate is closed")                       // missing, older or being rebuilt
	ErrBacklog   = errors.New("too many winners wait for the ledger") // I9: closed until the worker catches up
	ErrSoldOut   = errors.New("no unit left")
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
// older copy.
type Mark struct {
	Epoch, Moves uint64
}

// Before reports whether m is older than n.
func (m Mark) Before(n Mark) bool {
	return m.Epoch < n.Epoch || m.Epoch == n.Epoch && m.Moves < n.Moves
}

// Gate is one sale's gate. It is safe for concurrent use and needs no closing.
type Gate struct {
	rdb  redis.UniversalClient
	keys keys
}

// New returns the gate of the sale that the stores know under key
// (configs.Sale.Key). It does no I/O. The client should heed the deadlines of
// contexts (ContextTimeoutEnabled) and must not retry by itself: an outcome in
// doubt is resolved here, by asking again with the same id.
func New(rdb redis.UniversalClient, key string) *Gate {
	return &Gate{rdb: rdb, keys: keysOf(key)}
}

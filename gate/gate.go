// Package gate takes and gives back a sale's stock in Redis.
//
// It owns the fast copy of the stock, the receipts of the units that are out,
// and the stream of winners on their way to the ledger. It never knows who may
// buy (the line does) and never decides what an order becomes (the ledger
// does). Every change is one Lua script on one hash slot: it happens whole or
// not at all.
//
// Its invariants: stock + units of all receipts = total; a unit is given back
// by whoever removes its receipt, and by nobody else; a gate that is missing,
// closed or older than one already seen sells nothing until it is rebuilt from
// the ledger.
package gate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// What a caller of the gate acts on.
var (
	ErrClosed    = errors.New("gate is closed")                       // missing, older or being rebuilt
	ErrBacklog   = errors.New("too many winners wait for the ledger") // I9: closed until the worker catches up
	ErrSoldOut   = errors.New("no unit left")
	ErrKeyReused = errors.New("idempotency key used with another body")
)

// AlreadyBoughtError says that the account or the ticket holds all it may.
type AlreadyBoughtError struct {
	Reservation string // the one it got last
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
// (configs.Sale.Key). It does no I/O. The client must not retry by itself: an
// outcome in doubt is resolved here, by asking again with the same id.
func New(rdb redis.UniversalClient, key string) *Gate {
	return &Gate{rdb: rdb, keys: keysOf(key)}
}

// Request asks for units. All fields but Seen are required.
type Request struct {
	Reservation string // fresh for each request; a UUID
	Account     string // who buys
	Ticket      string // the ticket that was admitted
	Key         string // idempotency key, scoped to Account
	Digest      string // of what was asked; the same key with another digest is refused
	Qty         int    // 1 … PerAccount
	PerAccount  int    // most units an account, and a ticket, may hold at once
	Hold        time.Duration
	MaxBacklog  int  // winners on their way at which nothing more is sold
	Seen        Mark // the newest state the caller knows of
}

// Hold is so many units for one buyer until an instant.
type Hold struct {
	Reservation string
	PayBefore   time.Time // Redis time
	Again       bool      // an earlier request with this key took it
	Left        int       // units left behind it
	Mark        Mark
}

// Reserve takes units and appends the winner to the stream, in one step. The
// same key and digest always get the same hold. It fails with ErrClosed,
// ErrBacklog, ErrSoldOut, ErrKeyReused or an *AlreadyBoughtError, and then
// nothing was taken; with any other error the outcome is unknown, and asking
// again with the same Request is the way to learn it.
func (g *Gate) Reserve(ctx context.Context, r Request) (Hold, error) {
	reply, err := runTwice(ctx, g.rdb, reserveScript, g.keys.all(),
		r.Reservation, r.Account, r.Ticket, r.Key, r.Digest, r.Qty, r.PerAccount,
		r.Hold.Milliseconds(), r.MaxBacklog, r.Seen.Epoch, r.Seen.Moves)
	if err != nil {
		return Hold{}, fmt.Errorf("reserve: %w", err)
	}
	mark := Mark{Epoch: reply.count(1), Moves: reply.count(2)}
	switch code := reply.text(0); code {
	case "ok", "again":
		return Hold{
			Reservation: reply.text(3),
			PayBefore:   reply.instant(4),
			Again:       code == "again",
			Left:        int(reply.count(5)),
			Mark:        mark,
		}, nil
	case "already":
		return Hold{Mark: mark}, &AlreadyBoughtError{Reservation: reply.text(3)}
	case "sold_out":
		return Hold{Mark: mark}, ErrSoldOut
	default:
		return Hold{Mark: mark}, refusal(code)
	}
}

// Release gives the units of a hold back. It reports whether it was this call
// that did: the receipt's removal is the give-back, so a second call, and a
// call for a hold that never was, changes nothing. ErrClosed means that the
// gate cannot tell now; ask again later.
func (g *Gate) Release(ctx context.Context, hold string) (bool, error) {
	reply, err := runTwice(ctx, g.rdb, releaseScript, g.keys.all(), hold, "give")
	if err != nil {
		return false, fmt.Errorf("release %s: %w", hold, err)
	}
	return released(reply)
}

// Drop removes the receipt of a hold that the ledger refused: the gate had
// leaked, there is no unit to give back, and none is.
func (g *Gate) Drop(ctx context.Context, hold string) (bool, error) {
	reply, err := runTwice(ctx, g.rdb, releaseScript, g.keys.all(), hold, "drop")
	if err != nil {
		return false, fmt.Errorf("drop %s: %w", hold, err)
	}
	return released(reply)
}

func released(reply reply) (bool, error) {
	switch code := reply.text(0); code {
	case "ok":
		return true, nil
	case "none":
		return false, nil
	default:
		return false, refusal(code)
	}
}

// Retake takes units for an order whose hold has ended and whose money came
// late. hold is the order's next hold id (see HoldID); no winner is appended,
// since the order exists. Taking the same hold twice takes once. It fails with
// ErrClosed, ErrSoldOut or an *AlreadyBoughtError.
func (g *Gate) Retake(ctx context.Context, r Receipt, perAccount int) error {
	reply, err := runTwice(ctx, g.rdb, retakeScript, g.keys.all(),
		r.Hold, r.Account, r.Ticket, r.Qty, perAccount)
	if err != nil {
		return fmt.Errorf("retake %s: %w", r.Hold, err)
	}
	switch code := reply.text(0); code {
	case "ok", "again":
		return nil
	case "already":
		return &AlreadyBoughtError{Reservation: reply.text(1)}
	case "sold_out":
		return ErrSoldOut
	default:
		return refusal(code)
	}
}

func refusal(code string) error {
	switch code {
	case "closed":
		return ErrClosed
	case "backlog":
		return ErrBacklog
	case "key_reused":
		return ErrKeyReused
	default:
		return fmt.Errorf("gate script answered %q", code)
	}
}

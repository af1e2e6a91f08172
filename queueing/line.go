package queueing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
)

// Why the line says no.
var (
	ErrNotOpen   = errors.New("not open yet")
	ErrEnded     = errors.New("sale has ended")
	ErrPaused    = errors.New("sale is paused")
	ErrNotCalled = errors.New("place not called yet")
)

// WaitError says that the place was called but the bucket is empty.
type WaitError struct {
	Retry time.Duration // when to ask again: a second at least, a token's time at slow rates
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("no pass free, ask again in %v", e.Retry)
}

// passLife is half the longest life of a pass. One given at any moment of a
// generation, a span of passLife, lives to the end of the next.
const passLife = 10 * time.Minute

// The most callers of one call: Redis does nothing else meanwhile.
const (
	maxEnters = math.MaxInt
	maxClaims = 500
)

// maxMessage bounds an operator's message, in bytes: every edge carries it in
// every call.
const maxMessage = 1000

// Line is one sale's line in Redis. Any number of Lines, on any number of
// edges, are the same line. Every decision is one script on Redis time.
type Line struct {
	rdb    redis.UniversalClient
	sale   *configs.Sale
	keys   []string
	memory *memory
	enters *together[struct{}, uint64]
	claims *together[uint64, claimed]
}

// NewLine is cheap and calls nobody; after a reload make a new one. The client
// should heed the deadlines of contexts (ContextTimeoutEnabled) and must not
// retry by itself: a repeated entry would waste numbers.
func NewLine(rdb redis.UniversalClient, sale *configs.Sale) *Line {
	l := &Line{rdb: rdb, sale: sale, keys: lineKeys(sale.Key), memory: newMemory()}
	l.enters = newTogether(maxEnters, l.enter)
	l.claims = newTogether(maxClaims, l.claim)
	return l
}

// Enter gives the next number: [ErrNotOpen] before the doors, [ErrEnded] from
// closing on. Entries that arrive together share one call, and calls are at
// least 5 ms apart. A caller whose ctx ends is let go, its number is then
// nobody's; one that happens to carry the call for the others stays for it,
// a second at most.
func (l *Line) Enter(ctx context.Context) (number uint64, err error) {
	return l.enters.one(ctx, struct{}{})
}

// enter takes as many numbers as are asked for. Not to be repeated when the
// reply is lost: the numbers would be nobody's.
func (l *Line) enter(ctx context.Context, asked []struct{}) ([]uint64, error) {
	r, err := l.call(ctx, scriptEnter, len(asked))
	if err != nil {
		return nil, fmt.Errorf("enter line: %w", err)
	}
	if err := refusal(r); err != nil {
		return nil, err
	}
	var word string
	var first int64
	var seen remembered
	if err := r.scan(&word, &first, &seen.entered, &seen.drawn, &seen.born, &seen.seed); err != nil {
		return nil, fmt.Errorf("enter line: %w", err)
	}
	l.memory.learn(seen)
	numbers := make([]uint64, len(asked))
	for i := range numbers {
		numbers[i] = uint64(first) + uint64(i)
	}
	return numbers, nil
}

// Tick moves the line on and gives its picture. Every edge ticks, as often as
// it likes: the head's speed does not depend on it. With calling false the
// head stands, because there is nothing to sell at the moment. aside is what
// this edge knows besides, a few words; if its tick is the first of a turn they
// are published with the picture (see Snapshot.Shown).
func (l *Line) Tick(ctx context.Context, calling bool, aside string) (*Snapshot, error) {
	call := 0
	if calling {
		call = 1
	}
	r, err := l.callAgain(ctx, scriptTick, call, aside)
	if err != nil {
		return nil, fmt.Errorf("tick line: %w", err)
	}
	if len(r) == 0 {
		return nil, errors.New("tick line: an empty reply")
	}
	picture, published := r[:len(r)-1], r[len(r)-1]
	s, seen, err := l.picture(picture)
	if err != nil {
		return nil, fmt.Errorf("tick line: %w", err)
	}
	l.memory.learn(seen)
	var shown reply
	if err := json.Unmarshal([]byte(published), &shown); err != nil {
		return nil, fmt.Errorf("tick line: read published picture: %w", err)
	}
	if s.Shown, _, err = l.picture(shown); err != nil {
		return nil, fmt.Errorf("tick line: read published picture: %w", err)
	}
	return s, nil
}

// picture reads what lua/tick.lua draws.
func (l *Line) picture(r reply) (*Snapshot, remembered, error) {
	var seen remembered
	s := Snapshot{Sale: l.sale.Key, Doors: l.sale.Doors, Opens: l.sale.Opens, Closes: l.sale.Closes}
	o := &seen.orders
	err := r.scan(&s.Now, &seen.born, &seen.seed, &seen.entered, &seen.drawn, &seen.head,
		&seen.passes, &s.Rate, &s.lead, &s.waiting,
		&o.edition, &o.paused, &o.rate, &o.burst, &o.message, &s.Aside)
	if err != nil {
		return nil, seen, err
	}
	s.Entered, s.Head, s.Passes = uint64(seen.entered), uint64(seen.head), uint64(seen.passes)
	s.Message = o.message
	s.settle(o.paused == 1, seen.seed, seen.drawn)
	return &s, seen, nil
}

// Claim is a pass that was granted.
type Claim struct {
	// Admitted is the moment of the claim; of a repeated one, the beginning of
	// the ten minutes in which the first was made.
	Admitted time.Time
	Expires  time.Time // ten to twenty minutes after the first claim
	Again    bool      // granted before: the same pass, no token taken
}

// Claim asks for the pass of a place: [ErrNotCalled] while the head is not
// beyond it, [*WaitError] while the bucket is empty, [ErrPaused], [ErrNotOpen]
// before the draw, [ErrEnded] from closing on. A turn that was missed is kept.
// Asking again while a pass lives gives the same pass. Claims that arrive
// together share one call, as entries do.
func (l *Line) Claim(ctx context.Context, place uint64) (Claim, error) {
	if place > math.MaxUint32 {
		return Claim{}, ErrNotCalled // a bitmap of Redis ends there
	}
	c, err := l.claims.one(ctx, place)
	if err != nil {
		return Claim{}, err
	}
	return c.Claim, c.err
}

// claimed is what became of one of the claims of a call.
type claimed struct {
	Claim
	err error
}

// claim asks for many passes at once; the bucket serves them in that order.
func (l *Line) claim(ctx context.Context, places []uint64) ([]claimed, error) {
	args := make([]any, 0, len(places)+1)
	args = append(args, passLife.Microseconds())
	for _, place := range places {
		args = append(args, place)
	}
	r, err := l.callAgain(ctx, scriptClaim, args...)
	if err != nil {
		return nil, fmt.Errorf("claim pass: %w", err)
	}
	if len(r) != claimFields*len(places)+1 {
		return nil, fmt.Errorf("claim pass: %d fields for %d claims", len(r), len(places))
	}
	var passes int64
	if err := r[len(r)-1:].scan(&passes); err != nil {
		return nil, fmt.Errorf("claim pass: %w", err)
	}
	l.memory.count(passes)
	out := make([]claimed, len(places))
	for i := range out {
		if out[i], err = readClaim(r[claimFields*i : claimFields*(i+1)]); err != nil {
			return nil, fmt.Errorf("claim pass: %w", err)
		}
	}
	return out, nil
}

// claimFields is how many fields answer one claim.
const claimFields = 4

func readClaim(r reply) (c claimed, err error) {
	if c.err = refusal(r); c.err != nil {
		return c, nil
	}
	var word, again string
	err = r.scan(&word, &c.Admitted, &c.Expires, &again)
	c.Again = again == "1"
	return c, err
}

// refusal is the error for a reply that says no.
func refusal(r reply) error {
	switch r.word() {
	case "not_open":
		return ErrNotOpen
	case "ended":
		return ErrEnded
	case "paused":
		return ErrPaused
	case "not_called":
		return ErrNotCalled
	case "wait":
		var us int64
		if err := r[1:2].scan(&us); err != nil {
			return err
		}
		return &WaitError{Retry: time.Duration(us) * time.Microsecond}
	}
	return nil
}

package queueing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
)

// callTimeout bounds each call to Redis. A line that does not answer by then
// is as good as away, and its callers are served from the last snapshot.
var callTimeout = time.Second // tests give a busy machine longer

// store is a line in Redis, of a sale or of a room, with what this edge
// remembers of it. Every decision is one script on Redis time.
type store struct {
	rdb    redis.UniversalClient
	keys   []string
	plan   plan
	memory *memory
}

// plan is what the files say of a line.
type plan struct {
	key                  string // the sale's, or the room's
	doors, opens, closes time.Time
	rate                 configs.Rate
	burst                int
	mix                  string // names the public value; empty: none
}

// call runs a script with the plan, what the edge remembers, then args.
func (s *store) call(ctx context.Context, script *redis.Script, args ...any) (reply, error) {
	return s.callOn(ctx, script, s.keys, args...)
}

// callOn is call on other keys than the line's alone.
func (s *store) callOn(ctx context.Context, script *redis.Script, keys []string, args ...any) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	all := append(s.plan.args(), s.memory.recall().args()...)
	values, err := script.Run(ctx, s.rdb, keys, append(all, args...)...).StringSlice()
	return reply(values), err
}

// callAgain is call for scripts that may run twice: when the connection broke,
// only the reply may be lost, and the script is asked once more.
func (s *store) callAgain(ctx context.Context, script *redis.Script, args ...any) (reply, error) {
	r, err := s.call(ctx, script, args...)
	if broken(err) {
		return s.call(ctx, script, args...)
	}
	return r, err
}

func broken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// args are what every script begins with, see lua/line.lua.
func (p plan) args() []any {
	return []any{
		p.doors.UnixMicro(), p.opens.UnixMicro(), p.closes.UnixMicro(), p.rate.PerSecond(), p.burst, digit(p.mix != ""),
	}
}

// number is callOn for scripts that give numbers. While the line gives none it asks
// again, for as long as a call may take.
func (s *store) number(ctx context.Context, script *redis.Script, keys []string, args ...any) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	for {
		r, err := s.callOn(ctx, script, keys, args...)
		if err != nil || r.word() != "hold" {
			return r, err
		}
		var us int64
		if err := r.scan("hold", &us); err != nil {
			return nil, err
		}
		timer := time.NewTimer(time.Duration(us) * time.Microsecond)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("redis forgot numbers: %w", ctx.Err())
		}
	}
}

// tick runs one of the scripts that move the line on. It answers a picture of so
// many fields, the published one, and news. read reads a picture.
func (s *store) tick(
	ctx context.Context, script *redis.Script, fields int, read func(reply) (*Snapshot, remembered, error), args ...any,
) (*Snapshot, reply, error) {
	r, err := s.callAgain(ctx, script, args...)
	if err != nil {
		return nil, nil, fmt.Errorf("tick line: %w", err)
	}
	if len(r) <= fields {
		return nil, nil, fmt.Errorf("tick line: %d fields, want more than %d", len(r), fields)
	}
	picture, published, news := r[:fields], r[fields], r[fields+1:]
	snap, seen, err := read(picture)
	if err != nil {
		return nil, nil, fmt.Errorf("tick line: %w", err)
	}
	s.memory.learn(seen)
	var shown reply
	if err := json.Unmarshal([]byte(published), &shown); err != nil {
		return nil, nil, fmt.Errorf("tick line: read published picture: %w", err)
	}
	if snap.Shown, _, err = read(shown); err != nil {
		return nil, nil, fmt.Errorf("tick line: read published picture: %w", err)
	}
	return snap, news, nil
}

// How many fields lua/tick.lua draws a picture in.
const (
	lineFields = 23
	unitFields = lineFields + 3
	roomFields = lineFields + 3
)

// picture reads what lua/tick.lua draws.
func (s *store) picture(r reply) (*Snapshot, remembered, error) {
	var seen remembered
	p, a := s.plan, &seen.acts
	snap := Snapshot{Sale: p.key, Doors: p.doors, Opens: p.opens, Closes: p.closes, Mix: p.mix}
	err := r.scan(append([]any{
		&snap.Now, &snap.Rate, &snap.lead, &snap.waiting,
		&a.edition, &a.paused, &a.rate, &a.burst, &a.message,
		&snap.Stock.Left, &snap.Stock.Held, &snap.Stock.State, &snap.Stock.Tail,
	}, seen.fields()...)...)
	if err != nil {
		return nil, seen, err
	}
	snap.Line = lineName(p.key, seen.born)
	snap.Entered, snap.Behind = uint64(seen.entered), uint64(seen.behind)
	snap.Head, snap.Passes = uint64(seen.head), uint64(seen.passes)
	snap.Mixed, snap.Message = seen.mixed, a.message
	snap.settle(a.paused, seen.seed, seen.drawn)
	return &snap, seen, nil
}

// lineName tells a sale's lines apart. A Redis that forgot everything, with no edge
// left that remembers, begins another one: its numbers are given from 0 again.
func lineName(sale string, born int64) string {
	return sale + "/" + strconv.FormatInt(born, 36)
}

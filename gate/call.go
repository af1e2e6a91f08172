package gate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// callTimeout bounds each call to Redis: a gate that does not answer by then
	// is as good as away.
	callTimeout = time.Second
	// passingPause is how long a node that says "not now" is left alone.
	passingPause = 20 * time.Millisecond
)

// callAgain runs a script in one bucket and, when no answer came, once more. Every
// script of this package may run twice: a reservation, a hold, a total, a note's
// version, a transfer's number and a rebuild's epoch each say what was done
// already, and the second run finds it. What Redis answered, also an error, is
// never asked for twice, unless the answer is that nothing happened and another
// node, or the same one in a moment, may do it.
//
// Each run is told the newest state that was seen of its bucket, and the one that it
// leaves is remembered.
func (g *Gate) callAgain(ctx context.Context, bucket int, s *script, args ...any) (reply, error) {
	cmd := g.call(ctx, bucket, s, args)
	if again(ctx, cmd.Err()) {
		cmd = g.call(ctx, bucket, s, args)
	}
	return g.read(bucket, cmd)
}

// read reads an answer and remembers its mark.
func (g *Gate) read(bucket int, cmd *redis.Cmd) (reply, error) {
	fields, err := cmd.StringSlice()
	if err != nil {
		return reply{}, err
	}
	r, err := readReply(fields)
	if err == nil {
		g.saw(bucket, r.mark, r.stamp)
	}
	return r, err
}

// told puts before a script's own arguments what every script is told.
func (g *Gate) told(bucket int, own []any) []any {
	seen, stamp := g.newest(bucket)
	return append([]any{len(g.buckets), seen.Epoch, seen.Moves, stamp}, own...)
}

// again reports whether a call is worth a second try, and waits until it is.
func again(ctx context.Context, err error) bool {
	_, answered := errors.AsType[redis.Error](err)
	switch {
	case err == nil || ctx.Err() != nil:
		return false
	case !answered:
		return true
	case !passing(err):
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(passingPause):
		return true
	}
}

// passing reports whether Redis said that it did nothing, for a reason that
// passes: the node is a replica now, is loading, has lost its primary or its
// cluster, or the slot is on its way to another node. Of all these a script
// hears before its first write.
func passing(err error) bool {
	return redis.IsReadOnlyError(err) || redis.IsLoadingError(err) || redis.IsMasterDownError(err) ||
		redis.IsClusterDownError(err) || redis.IsTryAgainError(err) || redirected(err)
}

// redirected reports whether a client that follows no redirection was given one.
func redirected(err error) bool {
	if _, yes := redis.IsMovedError(err); yes {
		return true
	}
	_, yes := redis.IsAskError(err)
	return yes
}

// call runs a script once, in one bucket.
func (g *Gate) call(ctx context.Context, bucket int, s *script, own []any) *redis.Cmd {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	e := errand{s, bucket, g.told(bucket, own)}
	if s.crowd {
		return g.goAlong(ctx, e)
	}
	return s.Run(ctx, g.rdb, g.buckets[bucket].all(), e.args...)
}

// each runs a script in several buckets, in one round trip, and gives the answers
// in their order. After an error some of them may have run it, as after any.
func (g *Gate) each(ctx context.Context, buckets []int, s *script, args ...any) ([]reply, error) {
	asks := make([]ask, 0, len(buckets))
	for _, b := range buckets {
		asks = append(asks, ask{b, args})
	}
	return g.askAll(ctx, s, asks)
}

// ask is a script's run in one bucket.
type ask struct {
	bucket int
	args   []any
}

// askAll is each with arguments of its own for each bucket.
func (g *Gate) askAll(ctx context.Context, s *script, asks []ask) ([]reply, error) {
	answers := make([]reply, len(asks))
	if len(asks) == 1 {
		var err error
		answers[0], err = g.callAgain(ctx, asks[0].bucket, s, asks[0].args...)
		return answers, err
	}
	errands := make([]errand, len(asks))
	for i, a := range asks {
		errands[i] = errand{s, a.bucket, g.told(a.bucket, a.args)}
	}
	var faults []error
	for i, cmd := range g.pipe(ctx, errands) {
		var err error
		if no := cmd.Err(); redis.HasErrorPrefix(no, "NOSCRIPT") || again(ctx, no) {
			answers[i], err = g.callAgain(ctx, asks[i].bucket, s, asks[i].args...)
		} else {
			answers[i], err = g.read(asks[i].bucket, cmd)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("bucket %d: %w", asks[i].bucket, err))
		}
	}
	return answers, errors.Join(faults...)
}

// errand is one run of a script in one bucket, with all that it is told.
type errand struct {
	*script
	bucket int
	args   []any
}

// pipe runs errands once, all at once.
func (g *Gate) pipe(ctx context.Context, errands []errand) []*redis.Cmd {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	p := g.rdb.Pipeline()
	cmds := make([]*redis.Cmd, len(errands))
	for i, e := range errands {
		cmds[i] = e.EvalSha(ctx, p, g.buckets[e.bucket].all(), e.args...)
	}
	_, _ = p.Exec(ctx) // each command says how it went
	return cmds
}

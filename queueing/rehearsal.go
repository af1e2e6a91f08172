package queueing

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
)

// Rehearsal is a line whose whole crowd one caller brings, in a time of the
// caller's own: the same scripts and the same answers, without the pauses that
// let strangers share a call. Its seed is known to whoever rehearses, so it must
// never be the line of a sale.
type Rehearsal struct{ *Line }

// NewRehearsal is NewLine for a Redis that belongs to the rehearsal alone.
func NewRehearsal(rdb redis.UniversalClient, sale *configs.Sale, seed Seed) *Rehearsal {
	l := NewLine(rdb, sale)
	l.memory.seed = seed // the first call puts it
	return &Rehearsal{l}
}

// EnterAll is Enter for many, in their order, in one call: a number or an error for
// each. Where accounts are recorded, or proofs used up, ask for at most a thousand at
// once.
func (r *Rehearsal) EnterAll(ctx context.Context, entries []Entry) ([]Number, []error, error) {
	answers, err := r.enter(ctx, entries)
	if err != nil {
		return nil, nil, err
	}
	numbers, errs := make([]Number, len(answers)), make([]error, len(answers))
	for i, a := range answers {
		numbers[i], errs[i] = a.Number, a.err
	}
	return numbers, errs, nil
}

// ClaimAll is Claim for many turns, in their order: a claim or an error for
// each. Redis does nothing else meanwhile, so ask at most a few hundred at once.
func (r *Rehearsal) ClaimAll(ctx context.Context, turns []Turn) ([]Claim, []error, error) {
	answers, err := r.claim(ctx, turns)
	if err != nil {
		return nil, nil, err
	}
	claims, errs := make([]Claim, len(answers)), make([]error, len(answers))
	for i, a := range answers {
		claims[i], errs[i] = a.Claim, a.err
	}
	return claims, errs, nil
}

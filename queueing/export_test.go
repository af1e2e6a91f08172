package queueing

import "context"

// ClaimNow is Claim for many places in one call, without waiting for company:
// in virtual time there is none.
func (l *Line) ClaimNow(ctx context.Context, places []uint64) ([]Claim, []error, error) {
	turns := make([]turn, len(places))
	for i, place := range places {
		turns[i] = turn{number: place}
	}
	all, err := l.claim(ctx, turns)
	claims, errs := make([]Claim, len(all)), make([]error, len(all))
	for i, c := range all {
		claims[i], errs[i] = c.Claim, c.err
	}
	return claims, errs, err
}

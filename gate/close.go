package gate

import (
	"context"
	"fmt"
)

// Close stops sales and names why. A gate that is missing becomes one that is
// closed. Shut with a reason of their own, two rebuilders notice each other.
// Buckets that the gate was built with, and has no more, are closed too.
func (g *Gate) Close(ctx context.Context, why string) error {
	answers, err := g.each(ctx, g.all(), scriptClose, why)
	had := 0
	for _, r := range answers {
		var built int
		if err == nil {
			err = r.ok(&built)
		}
		had = max(had, built)
	}
	if err == nil && had > len(g.buckets) {
		former := New(g.rdb, g.key, had)
		_, err = former.each(ctx, former.all()[len(g.buckets):], scriptClose, why)
	}
	if err != nil {
		return fmt.Errorf("close gate: %w", err)
	}
	return nil
}

// atRest reports whether the buckets that the gate had and is to have no more are
// closed. It is an error if winners are still on their way in one: nobody would
// read them.
func (g *Gate) atRest(ctx context.Context, had int) (bool, error) {
	former := New(g.rdb, g.key, had)
	answers, err := former.each(ctx, former.all()[len(g.buckets):], scriptLook)
	if err != nil {
		return false, err
	}
	for i, r := range answers {
		p, err := readPart(r)
		if err != nil {
			return false, err
		}
		if p.backlog > 0 {
			return false, fmt.Errorf("%d winners wait in bucket %d of %d: go back to %[3]d buckets until they are written",
				p.backlog, len(g.buckets)+i, had)
		}
		if p.built && p.closed == "" {
			return false, nil
		}
	}
	return true, nil
}

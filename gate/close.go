package gate

import (
	"context"
	"fmt"
)

// Close stops sales and names why. A gate that is missing becomes one that is
// closed. Shut with a reason of their own, two rebuilders notice each other.
// Buckets that the gate was built with, and has no more, are closed too.
func (g *Gate) Close(ctx context.Context, why string) error {
	had, err := g.shut(ctx, g.all(), why, "")
	if err == nil && had > len(g.buckets) {
		former := New(g.rdb, g.key, had)
		_, err = former.shut(ctx, former.all()[len(g.buckets):], why, "")
	}
	if err != nil {
		return fmt.Errorf("close gate: %w", err)
	}
	return nil
}

// condemn closes a gate in which something is wrong, unless it has been closed or
// rebuilt since.
func (g *Gate) condemn(ctx context.Context, epoch uint64, why string) error {
	_, err := g.shut(ctx, g.all(), why, epoch)
	return err
}

// shut closes buckets, and returns in how many they were built; with an epoch only
// those that are open under it.
func (g *Gate) shut(ctx context.Context, buckets []int, why string, epoch any) (had int, err error) {
	answers, err := g.each(ctx, buckets, scriptClose, why, epoch)
	for _, r := range answers {
		var built int
		if err == nil {
			err = r.ok(&built)
		}
		had = max(had, built)
	}
	return had, err
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

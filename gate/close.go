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
		former, gone := g.former(had)
		_, err = former.shut(ctx, gone, why, "")
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

// former is the gate as it was built in more buckets, and those that it has no more.
func (g *Gate) former(had int) (*Gate, []int) {
	former := New(g.rdb, g.key, had)
	return former, former.all()[len(g.buckets):]
}

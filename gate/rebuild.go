package gate

import (
	"context"
	"fmt"
)

// Contents are what a gate is rebuilt from: the ledger's picture of the sale.
type Contents struct {
	Epoch uint64 // above every epoch that the ledger and the gate know
	Total int
	Live  []Live
}

// Live is an order that holds or has bought units.
type Live struct {
	Receipt
	Note Note
}

// Rebuild replaces stock and receipts by what the ledger says and opens the
// gate. The gate must have been closed with the same why since before the
// contents were read, and no winner may be on its way; else nothing opens and
// it reports false: begin again. Of several buckets the last opens only after all
// are rebuilt, so that none ever sells beside one of another rebuild; whoever stops
// half-way leaves a gate that is closed.
func (g *Gate) Rebuild(ctx context.Context, why string, c Contents) (rebuilt bool, err error) {
	rebuilt, err = g.rebuild(ctx, why, c)
	if err != nil {
		return false, fmt.Errorf("rebuild gate: %w", err)
	}
	return rebuilt, nil
}

func (g *Gate) rebuild(ctx context.Context, why string, c Contents) (bool, error) {
	all, had, err := g.fill(ctx, why, c, false)
	if err == nil && !all && had > len(g.buckets) {
		if rest, err := g.atRest(ctx, had); err != nil || !rest {
			return false, err
		}
		all, _, err = g.fill(ctx, why, c, true)
	}
	if err != nil || !all || len(g.buckets) == 1 {
		return all && err == nil, err
	}
	answers, err := g.each(ctx, g.all(), scriptOpen, why, c.Epoch)
	return everyone(answers, err)
}

// fill rebuilds every bucket. One of several stays closed. It reports whether all
// are rebuilt, and how many buckets there were before; rest says that those which
// go are known to be at rest.
func (g *Gate) fill(ctx context.Context, why string, c Contents, rest bool) (all bool, had int, err error) {
	asks, err := g.plan(why, c, rest)
	if err != nil {
		return false, 0, err
	}
	answers, err := g.askAll(ctx, scriptRebuild, asks)
	if err != nil {
		return false, 0, err
	}
	all = true
	for _, r := range answers {
		var one bool
		var built int
		if err := r.ok(&one, &built); err != nil {
			return false, 0, err
		}
		all, had = all && one, max(had, built)
	}
	return all, had, nil
}

// everyone reports whether all buckets answered with yes.
func everyone(answers []reply, err error) (bool, error) {
	all := true
	for _, r := range answers {
		var one bool
		if err == nil {
			err = r.ok(&one)
		}
		all = all && one
	}
	return all && err == nil, err
}

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
// it reports false: begin again. It goes in parts, and the gate is missing
// meanwhile. Of several buckets the last opens only after all are rebuilt, so that
// none ever sells beside one of another rebuild; whoever stops half-way leaves a gate
// that is closed.
func (g *Gate) Rebuild(ctx context.Context, why string, c Contents) (rebuilt bool, err error) {
	rebuilt, err = g.rebuild(ctx, why, c)
	if err != nil {
		return false, fmt.Errorf("rebuild gate: %w", err)
	}
	return rebuilt, nil
}

func (g *Gate) rebuild(ctx context.Context, why string, c Contents) (bool, error) {
	begun, done, had, err := g.clear(ctx, why, c.Epoch, false)
	if err == nil && !begun && had > len(g.buckets) {
		if rest, err := g.atRest(ctx, had); err != nil || !rest {
			return false, err
		}
		begun, done, _, err = g.clear(ctx, why, c.Epoch, true)
	}
	if err != nil || !begun || done {
		return done, err
	}
	shares := g.share(c)
	for _, step := range []func() (bool, error){
		func() (bool, error) { return g.fill(ctx, why, shares) },
		func() (bool, error) { return g.build(ctx, why, c, shares) },
		func() (bool, error) { return g.open(ctx, why, c.Epoch) },
	} {
		if ok, err := step(); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// atRest reports whether the buckets that the gate had and is to have no more are
// closed. It is an error if winners are still on their way in one: nobody would
// read them.
func (g *Gate) atRest(ctx context.Context, had int) (bool, error) {
	former, gone := g.former(had)
	answers, err := former.each(ctx, gone, scriptLook)
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

// clear takes every bucket's receipts away. It reports whether all are at the
// beginning of this rebuild or behind it, whether there is nothing to do since all
// are behind it, and in how many buckets the gate was built. rest says that those
// which go are known to be at rest.
func (g *Gate) clear(ctx context.Context, why string, epoch uint64, rest bool) (begun, done bool, had int, err error) {
	answers, err := g.each(ctx, g.all(), scriptClear, why, epoch, rest)
	if err != nil {
		return false, false, 0, err
	}
	begun, done = true, true
	for _, r := range answers {
		var one, was bool
		var built int
		if err := r.ok(&one, &was, &built); err != nil {
			return false, false, 0, err
		}
		begun, done, had = begun && one, done && was, max(had, built)
	}
	return begun, done, had, nil
}

// filled is how many receipts one script writes.
const filled = 50

// fill writes every bucket's receipts and bindings.
func (g *Gate) fill(ctx context.Context, why string, shares []share) (bool, error) {
	live, tickets := make([][]Live, len(shares)), make([][]tie, len(shares))
	for i, s := range shares {
		live[i], tickets[i] = s.live, s.ties
	}
	for asks := range pages(live, filled, func(page []Live) []any { return []any{why, wireLive(page), "{}"} }) {
		if ok, err := everyone(g.askAll(ctx, scriptFill, asks)); err != nil || !ok {
			return false, err
		}
	}
	for asks := range pages(tickets, filled, func(page []tie) []any { return []any{why, "[]", wireTies(page)} }) {
		if ok, err := everyone(g.askAll(ctx, scriptFill, asks)); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// build writes every bucket's state.
func (g *Gate) build(ctx context.Context, why string, c Contents, shares []share) (bool, error) {
	asks := make([]ask, 0, len(shares))
	for i, s := range shares {
		asks = append(asks, ask{i, []any{why, c.Epoch, s.out + s.left, s.out, s.paid, len(s.live), c.Total}})
	}
	return everyone(g.askAll(ctx, scriptBuild, asks))
}

// open lets all buckets sell.
func (g *Gate) open(ctx context.Context, why string, epoch uint64) (bool, error) {
	return everyone(g.each(ctx, g.all(), scriptOpen, why, epoch))
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

package gate

import (
	"context"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"
)

// anewPage is how many holds one script looks at, so that it stays short.
const anewPage = 200

// Anew sends winners on their way again who were lost on it: their receipts are
// here and their entries are gone, with a stream that was deleted. Their holds go
// on as they were. Name only receipts that the ledger knows nothing of; one whose
// entry is still there, as most are, is left alone, and so is one that had none.
// It returns how many were sent, and those whose time to pay was over: they are
// not sent, and still out. A closed gate does it too.
func (g *Gate) Anew(ctx context.Context, receipts []Receipt) (sent int, over []Receipt, err error) {
	homes := make([][]Receipt, len(g.buckets))
	for _, r := range receipts {
		home := g.home(r.Account)
		homes[home] = append(homes[home], r)
	}
	for home, all := range homes {
		for page := range slices.Chunk(all, anewPage) {
			n, late, err := g.anew(ctx, home, page)
			if err != nil {
				return sent, over, fmt.Errorf("send winners anew: %w", err)
			}
			sent, over = sent+n, append(over, late...)
		}
	}
	return sent, over, nil
}

func (g *Gate) anew(ctx context.Context, home int, page []Receipt) (sent int, over []Receipt, err error) {
	holds := make([]any, 0, len(page))
	for _, r := range page {
		holds = append(holds, r.Hold)
	}
	answer, err := g.callAgain(ctx, home, scriptAnew, holds...)
	if err != nil {
		return 0, nil, err
	}
	did := make([]string, len(page))
	into := make([]any, 0, len(page))
	for i := range did {
		into = append(into, &did[i])
	}
	if err := answer.ok(into...); err != nil {
		return 0, nil, err
	}
	for i, what := range did {
		switch what {
		case "anew":
			sent++
		case "over":
			over = append(over, page[i])
		}
	}
	return sent, over, nil
}

// Winning lists the receipts that came with a winner, whatever has become of that.
// One that cannot be read is passed over: a rebuild is about to end it.
func (g *Gate) Winning(ctx context.Context) (all []Receipt, err error) {
	for _, keys := range g.buckets {
		for cursor, more := uint64(0), true; more; more = cursor != 0 {
			var page []Receipt
			if page, cursor, err = g.winningFrom(ctx, keys.receipts, cursor); err != nil {
				return nil, fmt.Errorf("list winning receipts: %w", err)
			}
			all = append(all, page...)
		}
	}
	return all, nil
}

func (g *Gate) winningFrom(ctx context.Context, receipts string, cursor uint64) (page []Receipt, next uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	found, next, err := g.rdb.HScan(ctx, receipts, cursor, "", holdersPage).Result()
	if redis.HasErrorPrefix(err, "WRONGTYPE") {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	for i := 0; i+1 < len(found); i += 2 {
		if r, err := parseReceipt(found[i], found[i+1]); err == nil && r.Entry != "" {
			page = append(page, r)
		}
	}
	return page, next, nil
}

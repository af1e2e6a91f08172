package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Holder is who has units out.
type Holder struct {
	Reservation string
	Account     string
	Ticket      string
	Key         string // idempotency key of the reserve; empty if it is not known any more
}

// OtherKey reports whether a reserve under a key is certainly another one than the
// holder's, which a gate would refuse; not while either key is not known.
func (h Holder) OtherKey(key string) bool {
	return key != "" && h.Key != "" && h.Key != key
}

// holdersPage is how many receipts Redis is asked for at a time, so that it
// serves others in between.
const holdersPage = 500

// Holders lists who has units out, in all buckets. Whoever has some from before
// the call until its end is listed; of those that come or go meanwhile some are.
// ok is false, and nobody listed, if there are more than most.
func (g *Gate) Holders(ctx context.Context, most int) (all []Holder, ok bool, err error) {
	for _, keys := range g.buckets {
		for cursor, more := uint64(0), true; more; more = cursor != 0 {
			var page []Holder
			if page, cursor, err = g.holdersFrom(ctx, keys.receipts, cursor); err != nil {
				return nil, false, fmt.Errorf("list holders: %w", err)
			}
			if all = append(all, page...); len(all) > most {
				return nil, false, nil
			}
		}
	}
	return all, true, nil
}

// holdersFrom reads one page of receipts.
func (g *Gate) holdersFrom(ctx context.Context, receipts string, cursor uint64) (page []Holder, next uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	found, next, err := g.rdb.HScan(ctx, receipts, cursor, "", holdersPage).Result()
	if err != nil {
		return nil, 0, err
	}
	for i := 0; i+1 < len(found); i += 2 {
		var r wireReceipt
		if err := json.Unmarshal([]byte(found[i+1]), &r); err != nil {
			return nil, 0, fmt.Errorf("receipt %s: %w", found[i], err)
		}
		reservation, _, _ := strings.Cut(found[i], "/") // see HoldID
		page = append(page, Holder{reservation, r.Account, r.Ticket, r.Key})
	}
	return page, next, nil
}

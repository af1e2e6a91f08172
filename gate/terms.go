package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/waitroom/waitroom/configs"
)

// postedFor is for how long a sale's terms can be read after the last worker that
// posted them.
const postedFor = 24 * time.Hour

// termsKey is by the sale's name without the run: who reads them may have another
// run in its file.
func termsKey(id string) string { return "wr:{terms:" + id + "}" }

// Post makes what the books say of sales known to who does not reach the books.
func Post(ctx context.Context, rdb redis.UniversalClient, terms []configs.Terms) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	p := rdb.Pipeline()
	for _, t := range terms {
		text, err := json.Marshal(t)
		if err != nil {
			return fmt.Errorf("post terms of %s: %w", t.Key, err)
		}
		p.Set(ctx, termsKey(t.ID()), text, postedFor)
	}
	if _, err := p.Exec(ctx); err != nil {
		return fmt.Errorf("post terms: %w", err)
	}
	return nil
}

// Posted returns what was posted of sales, by their names without the run. Those of
// which nothing was are left out, and so is what cannot be read.
func Posted(ctx context.Context, rdb redis.UniversalClient, ids []string) (map[string]configs.Terms, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	p := rdb.Pipeline()
	cmds := make(map[string]*redis.StringCmd, len(ids))
	for _, id := range ids {
		cmds[id] = p.Get(ctx, termsKey(id))
	}
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return nil, fmt.Errorf("read posted terms: %w", err)
	}
	posted := make(map[string]configs.Terms, len(ids))
	for id, cmd := range cmds {
		text, err := cmd.Bytes()
		if err != nil && !errors.Is(err, redis.Nil) {
			return nil, fmt.Errorf("read posted terms of %s: %w", id, err)
		}
		var t configs.Terms
		if err == nil && json.Unmarshal(text, &t) == nil && t.ID() == id && t.Buckets > 0 {
			posted[id] = t
		}
	}
	return posted, nil
}

package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/waitroom/waitroom/gate"
)

// mark returns the newest state of a gate that the books know of, and that of each
// of its buckets; zero and none when it was never built.
func (b *Books) mark(ctx context.Context, key string) (m gate.Mark, each []gate.Sight, err error) {
	var text string
	err = b.plain().row(ctx, `SELECT epoch, moves, buckets FROM gates WHERE sale = $1`, key).Scan(&m.Epoch, &m.Moves, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return gate.Mark{}, nil, nil
	}
	var states [][2]uint64 // moves and stamp
	if err == nil {
		err = json.Unmarshal([]byte(text), &states)
	}
	if err != nil {
		return gate.Mark{}, nil, fmt.Errorf("read mark of %s: %w", key, err)
	}
	for _, s := range states {
		each = append(each, gate.Sight{Mark: gate.Mark{Epoch: m.Epoch, Moves: s[0]}, Stamp: s[1]})
	}
	return m, each, nil
}

// noteMark writes down the state that a gate has been in, and each of its buckets, if
// that is news.
func (b *Books) noteMark(ctx context.Context, key string, m gate.Mark, each []gate.Sight) error {
	states := make([][2]uint64, 0, len(each))
	for _, one := range each {
		if one.Epoch == m.Epoch { // else another rebuild was seen since
			states = append(states, [2]uint64{one.Moves, one.Stamp})
		}
	}
	text, _ := json.Marshal(states) // numbers always marshal
	_, err := b.plain().exec(ctx, `UPDATE gates SET moves = $3, buckets = $4
		WHERE sale = $1 AND epoch = $2 AND moves < $3`, key, int64(m.Epoch), int64(m.Moves), string(text))
	if err != nil {
		return fmt.Errorf("note mark of %s: %w", key, err)
	}
	return nil
}

// claimEpoch writes a gate's next epoch down before the gate gets it. It
// reports false when another keeper was first.
func (b *Books) claimEpoch(ctx context.Context, key string, from, to uint64) (bool, error) {
	var claimed int64
	err := b.inTx(ctx, func(c conn) (err error) {
		if _, err = c.exec(ctx, `INSERT INTO gates (sale) VALUES ($1) ON CONFLICT DO NOTHING`, key); err != nil {
			return err
		}
		claimed, err = c.exec(ctx, `UPDATE gates SET epoch = $3, moves = 0, buckets = '[]'
			WHERE sale = $1 AND epoch = $2`, key, int64(from), int64(to))
		return err
	})
	if err != nil {
		return false, fmt.Errorf("claim epoch of %s: %w", key, err)
	}
	return claimed == 1, nil
}

// notRebuilt fails with errRebuilt when a rebuild of the gate was begun since the
// books had its epoch. Else none begins before this transaction ends, and one that
// does then reads what is written here (see claimEpoch). Lock the stock before.
func (c conn) notRebuilt(ctx context.Context, key string, epoch uint64) error {
	var now uint64
	err := c.row(ctx, `SELECT epoch FROM gates WHERE sale = $1 {lock}`, key).Scan(&now)
	if errors.Is(err, sql.ErrNoRows) || err == nil && now != epoch {
		return errRebuilt
	}
	return err
}

// built returns the sales whose gates were ever built.
func (b *Books) built(ctx context.Context) ([]string, error) {
	keys, err := rows(ctx, b.plain(), scanText, `SELECT sale FROM gates`)
	if err != nil {
		return nil, fmt.Errorf("look for gates: %w", err)
	}
	return keys, nil
}

// lately returns the sales whose gates were ever built and can be there still (see
// gateLife), by what the books know of their closing.
func (b *Books) lately(ctx context.Context) ([]string, error) {
	keys, err := rows(ctx, b.plain(), scanText, `SELECT sale FROM gates WHERE sale NOT IN (
		SELECT sale FROM sale_stock WHERE closes < {now} - $1 * {ms})`, gateLife.Milliseconds())
	if err != nil {
		return nil, fmt.Errorf("look for gates: %w", err)
	}
	return keys, nil
}

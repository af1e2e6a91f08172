package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/waitroom/waitroom/gate"
)

// mark returns the newest state of a gate that the books know of; zero when it
// was never built.
func (b *Books) mark(ctx context.Context, key string) (m gate.Mark, err error) {
	err = b.plain().row(ctx, `SELECT epoch, moves FROM gates WHERE sale = $1`, key).Scan(&m.Epoch, &m.Moves)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return gate.Mark{}, fmt.Errorf("read mark of %s: %w", key, err)
	}
	return m, nil
}

// noteMark writes down that a gate has been in a state, if that is news.
func (b *Books) noteMark(ctx context.Context, key string, m gate.Mark) error {
	_, err := b.plain().exec(ctx, `UPDATE gates SET moves = $3
		WHERE sale = $1 AND epoch = $2 AND moves < $3`, key, int64(m.Epoch), int64(m.Moves))
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
		claimed, err = c.exec(ctx, `UPDATE gates SET epoch = $3, moves = 0
			WHERE sale = $1 AND epoch = $2`, key, int64(from), int64(to))
		return err
	})
	if err != nil {
		return false, fmt.Errorf("claim epoch of %s: %w", key, err)
	}
	return claimed == 1, nil
}

// built returns the sales whose gates were ever built.
func (b *Books) built(ctx context.Context) ([]string, error) {
	keys, err := rows(ctx, b.plain(), scanText, `SELECT sale FROM gates`)
	if err != nil {
		return nil, fmt.Errorf("look for gates: %w", err)
	}
	return keys, nil
}

package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	// txTimeout bounds a transaction with all its tries.
	txTimeout = 10 * time.Second
	// txTries is how often a transaction is run that the database threw out
	// because of others (deadlock, serialization failure).
	txTries = 8
)

// Books are the ledger's database. They are safe for concurrent use.
type Books struct {
	db      *sql.DB
	dialect dialect
	bite    bite
}

// Close closes the database.
func (b *Books) Close() error { return b.db.Close() }

// Ping reports whether the database answers.
func (b *Books) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, txTimeout)
	defer cancel()
	if err := b.db.PingContext(ctx); err != nil {
		return fmt.Errorf("ping books: %w", err)
	}
	return nil
}

// inTx runs do in a transaction and commits it. What the database threw out
// because of others is run again, a bounded number of times; do must therefore
// change nothing but the database. After any other error of the commit the
// outcome is unknown: every caller asks again with the same ids.
func (b *Books) inTx(ctx context.Context, do func(conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, txTimeout)
	defer cancel()
	for try := 1; ; try++ {
		err := b.once(ctx, do)
		if err == nil || try == txTries || b.dialect.blame(err) != clash {
			return err
		}
		if !pause(ctx, rand.N(time.Duration(try)*20*time.Millisecond)) {
			return err
		}
	}
}

func (b *Books) once(ctx context.Context, do func(conn) error) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing to do after a commit
	if err := do(conn{tx, b.dialect}); err != nil {
		return err
	}
	return tx.Commit()
}

// conn runs statements, within a transaction or on its own. Their text is
// written once and carries the dialect's differences in braces.
type conn struct {
	on interface {
		ExecContext(context.Context, string, ...any) (sql.Result, error)
		QueryContext(context.Context, string, ...any) (*sql.Rows, error)
		QueryRowContext(context.Context, string, ...any) *sql.Row
	}
	dialect dialect
}

// plain runs single statements outside a transaction.
func (b *Books) plain() conn { return conn{b.db, b.dialect} }

// exec returns how many rows a statement changed.
func (c conn) exec(ctx context.Context, text string, args ...any) (int64, error) {
	done, err := c.on.ExecContext(ctx, c.dialect.words.Replace(text), args...)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

func (c conn) row(ctx context.Context, text string, args ...any) *sql.Row {
	return c.on.QueryRowContext(ctx, c.dialect.words.Replace(text), args...)
}

// rows reads all rows of a query.
func rows[T any](ctx context.Context, c conn, scan func(func(...any) error) (T, error), text string, args ...any) ([]T, error) {
	found, err := c.on.QueryContext(ctx, c.dialect.words.Replace(text), args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }()
	var out []T
	for found.Next() {
		one, err := scan(found.Scan)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, found.Err()
}

// scanText reads a row of one text.
func scanText(scan func(...any) error) (string, error) {
	var s string
	err := scan(&s)
	return s, err
}

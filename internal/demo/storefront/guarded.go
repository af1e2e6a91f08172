package storefront

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"
)

const (
	poolSize     = 20                    // connections that buying and logging in share
	checkoutWork = 20 * time.Millisecond // what a checkout does while it holds the row
)

var errSoldOut = errors.New("sold out")

// shelf is the stock of a shop that stands alone.
type shelf struct {
	db   *sql.DB
	sale string
}

func newShelf(db *sql.DB, sale string) *shelf {
	db.SetMaxOpenConns(poolSize)
	db.SetMaxIdleConns(poolSize)
	if sale == "" {
		sale = DefaultSale
	}
	return &shelf{db: db, sale: sale}
}

// Prepare makes the tables of a guarded shop where they are missing, and puts
// total units of a sale on its shelf with nothing sold and nobody's orders.
func Prepare(ctx context.Context, db *sql.DB, sale string, total int) error {
	for _, statement := range []string{
		`CREATE TABLE IF NOT EXISTS stock (sale text PRIMARY KEY, total int NOT NULL,
			sold int NOT NULL DEFAULT 0 CHECK (sold BETWEEN 0 AND total))`,
		`CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY, sale text NOT NULL,
			account text NOT NULL, created_at timestamptz NOT NULL DEFAULT now())`,
		`CREATE TABLE IF NOT EXISTS users (name text PRIMARY KEY, since timestamptz NOT NULL DEFAULT now())`,
		`INSERT INTO users (name) SELECT 'shopper-' || n FROM generate_series(0, 999) n ON CONFLICT DO NOTHING`,
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("prepare shop: %w", err)
		}
	}
	if _, err := db.ExecContext(ctx, `DELETE FROM orders WHERE sale = $1`, sale); err != nil {
		return fmt.Errorf("prepare shop: %w", err)
	}
	_, err := db.ExecContext(ctx, `INSERT INTO stock (sale, total) VALUES ($1, $2)
		ON CONFLICT (sale) DO UPDATE SET total = $2, sold = 0`, sale, total)
	if err != nil {
		return fmt.Errorf("prepare shop: %w", err)
	}
	return nil
}

// buy sells a unit where the shop stands alone. Behind waitroom the button is
// answered at the door, and a press that comes through is a mistake in the set-up.
func (s *Shop) buy(w http.ResponseWriter, r *http.Request) {
	if s.shelf == nil {
		say(w, r, http.StatusForbidden, note{Status: "not_here", Text: "The golden toy is sold at the door only."})
		return
	}
	var account string
	if c, err := r.Cookie("session"); err == nil {
		account = c.Value
	}
	id, err := s.shelf.sell(r.Context(), account)
	switch {
	case errors.Is(err, errSoldOut):
		say(w, r, http.StatusConflict, note{Status: "sold_out", Text: "Sold out."})
	case err != nil:
		say(w, r, http.StatusServiceUnavailable, note{Status: "busy", Text: "Something went wrong. Please try again."})
	default:
		say(w, r, http.StatusCreated, note{Status: "reserved", Reservation: id,
			Checkout: "/checkout?reservation=" + url.QueryEscape(id), Text: "You got one."})
	}
}

// sell is the guarded update as many shops have it: correct, and one buyer at
// a time, since whoever has updated the row keeps it until the commit.
func (s *shelf) sell(ctx context.Context, account string) (string, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return "", fmt.Errorf("sell unit: %w", err)
	}
	defer tx.Rollback()
	done, err := tx.ExecContext(ctx, `UPDATE stock SET sold = sold + 1 WHERE sale = $1 AND sold < total`, s.sale)
	if err != nil {
		return "", fmt.Errorf("sell unit: %w", err)
	}
	if n, err := done.RowsAffected(); err != nil {
		return "", fmt.Errorf("sell unit: %w", err)
	} else if n == 0 {
		return "", errSoldOut
	}
	id := uuid.NewString()
	if _, err := tx.ExecContext(ctx, `INSERT INTO orders (id, sale, account) VALUES ($1, $2, $3)`, id, s.sale, account); err != nil {
		return "", fmt.Errorf("sell unit: %w", err)
	}
	if err := work(ctx); err != nil {
		return "", fmt.Errorf("sell unit: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return "", fmt.Errorf("sell unit: %w", err)
	}
	return id, nil
}

// work stands for the address check, the tax and the payment provider.
func work(ctx context.Context) error {
	timer := time.NewTimer(checkoutWork)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

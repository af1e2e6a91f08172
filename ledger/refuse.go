package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/waitroom/waitroom/gate"
)

// refusal returns why a reservation was refused; ok is false when it was not.
func (c conn) refusal(ctx context.Context, reservation string) (v verdict, ok bool, err error) {
	err = c.row(ctx, `SELECT reason FROM refusals WHERE reservation_id = $1`, reservation).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read refusal %s: %w", reservation, err)
	}
	return v, true, nil
}

// refuse writes down that a winner got nothing, for good, and returns the reason
// that stands: the first one. It reports false when the winner has an order
// after all.
//
// A reservation must never be both. So for a moment the refusal takes the
// reservation's place among the orders, under a status that counts nothing:
// another worker that writes the same winner either was first, and is seen here,
// or waits for this transaction and then sees the refusal in count.
func (b *Books) refuse(ctx context.Context, key string, w gate.Winner, why verdict) (stands verdict, ok bool, err error) {
	var free int64
	err = b.inTx(ctx, func(c conn) (err error) {
		free, err = c.exec(ctx, `INSERT INTO sale_orders (reservation_id, sale, account, qty, status, pay_before)
			VALUES ($1, $2, $3, $4, 'CANCELLED', {now}) ON CONFLICT DO NOTHING`, w.Reservation, key, w.Account, w.Qty)
		if err != nil || free == 0 {
			return err
		}
		_, err = c.exec(ctx, `INSERT INTO refusals (reservation_id, sale, account, qty, reason)
			VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`, w.Reservation, key, w.Account, w.Qty, string(why))
		if err != nil {
			return err
		}
		if stands, _, err = c.refusal(ctx, w.Reservation); err != nil {
			return err
		}
		_, err = c.exec(ctx, `DELETE FROM sale_orders WHERE reservation_id = $1`, w.Reservation)
		return err
	})
	if err != nil {
		return "", false, fmt.Errorf("refuse winner %s: %w", w.Reservation, err)
	}
	return stands, free == 1, nil
}

// setAside keeps an entry that no order can be made of, with its reason.
func (b *Books) setAside(ctx context.Context, key string, w gate.Winner, why error) error {
	raw, _ := json.Marshal(w.Raw) // texts always marshal; what is no UTF-8 is replaced
	err := b.inTx(ctx, func(c conn) error {
		_, err := c.exec(ctx, `INSERT INTO poison (sale, entry, reservation, reason, content)
			VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			key, w.Entry, storable(w.Reservation), storable(why.Error()), storable(string(raw)))
		return err
	})
	if err != nil {
		return fmt.Errorf("set entry %s aside: %w", w.Entry, err)
	}
	return nil
}

// storable makes any text one that the books can keep.
func storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

package ledger

import (
	"context"
	"fmt"
)

// entry is one row of the journal.
type entry struct {
	Sale        string
	Reservation string // empty for the sale's own stock
	Cause       string
	Units       int // added to sold
	Stock       int // added to total
	Payment     payment
}

func (c conn) write(ctx context.Context, e entry) error {
	_, err := c.exec(ctx, `INSERT INTO journal (sale, reservation_id, cause, units, stock, payment_id, amount, currency)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		e.Sale, nullable(e.Reservation), e.Cause, e.Units, e.Stock,
		nullable(e.Payment.ID), nullable(e.Payment.Amount), nullable(e.Payment.Currency))
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	return nil
}

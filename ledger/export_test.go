package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// The suite moves time and takes steps by these.

func (b *Books) DB() *sql.DB { return b.db }

// Ripen makes every unpaid order of a sale one whose time is over.
func (b *Books) Ripen(ctx context.Context, key string) error {
	_, err := b.plain().exec(ctx, `UPDATE sale_orders SET pay_before = {now} - 60000 * {ms}
		WHERE sale = $1 AND status = 'PENDING_PAYMENT'`, key)
	return err
}

// RipenEarly makes every early payment one that has waited too long.
func (b *Books) RipenEarly(ctx context.Context) error {
	_, err := b.plain().exec(ctx, `UPDATE early_payments SET at = {now} - 7200000 * {ms}`)
	return err
}

// Hasten makes every refund due now.
func (b *Books) Hasten(ctx context.Context) error {
	_, err := b.plain().exec(ctx, `UPDATE refunds SET next_at = {now} - 1000 * {ms}`)
	return err
}

// Rests is for how long a refund is not tried again.
func (b *Books) Rests(ctx context.Context, payment string) (time.Duration, error) {
	var next, now instant
	err := b.plain().row(ctx, `SELECT next_at, {now} FROM refunds WHERE payment_id = $1`, payment).Scan(&next, &now)
	return next.Sub(now.Time), err
}

// Early makes the books take a sale for one whose doors are still closed.
func (b *Books) Early(ctx context.Context, key string) error {
	_, err := b.plain().exec(ctx, `UPDATE sale_stock SET closes = doors WHERE sale = $1`, key)
	return err
}

// Bygone makes a sale one that closed so long ago that its gate is gone.
func (b *Books) Bygone(ctx context.Context, key string) error {
	_, err := b.plain().exec(ctx, `UPDATE sale_stock SET closes = {now} - $2 * {ms} WHERE sale = $1`, key, (gateLife + time.Minute).Milliseconds())
	return err
}

// Bare makes a sale's row one of a version that wrote no terms.
func (b *Books) Bare(ctx context.Context, key string) error {
	_, err := b.plain().exec(ctx, `UPDATE sale_stock SET buckets = NULL, doors = NULL, opens = NULL, closes = NULL WHERE sale = $1`, key)
	return err
}

// Impatient makes receipts without an order count after d.
func (w *Worker) Impatient(d time.Duration) { w.grace = d }

// SendRefunds takes one step of the outbox.
func (w *Worker) SendRefunds(ctx context.Context) error { return w.sendRefunds(ctx) }

// PayLate takes the step of a payment whose order was seen to have ended.
func (w *Worker) PayLate(ctx context.Context, sale *configs.Sale, reservation, id string) error {
	_, err := w.payLate(ctx, sale, payment{ID: id, Reservation: reservation})
	return err
}

// RefundLost takes the step of a notice that was seen to have no order.
func (b *Books) RefundLost(ctx context.Context, key, reservation, id string) error {
	return b.refundLost(ctx, early{payment: payment{ID: id, Reservation: reservation}, sale: key})
}

// Keeper returns the steps of a keeper of a sale's gate.
func (w *Worker) Keeper(key string) func(context.Context) error {
	k := &keeper{worker: w, key: key}
	return k.keep
}

// ReadOnce settles one read of a sale's winners under a consumer's name and
// returns how many there were.
func (w *Worker) ReadOnce(ctx context.Context, key, consumer string) (int, error) {
	g, err := w.gateOf(ctx, key)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, reader := range g.Winners(consumer) {
		ws, err := reader.Read(ctx, w.most, 10*time.Millisecond)
		if err != nil {
			return n, err
		}
		if len(ws) == 0 {
			continue
		}
		n += len(ws)
		b := batch{catches: []catch{{reader: reader, winners: ws}}}
		if b.fresh, err = w.settleAll(ctx, key, g, ws); err != nil {
			return n, err
		}
		w.finish(ctx, key, b, nil)
	}
	return n, nil
}

var (
	ErrUnknown = errUnknown
	Sign       = func(key configs.Secret, at time.Time, body []byte) string { return sign(key, at, body) }
	Verify     = verify
	Share      = share
	Backoff    = backoff
	RetryAfter = retryAfter
	NewPace    = newPace
)

func (s Status) After(c string) (Status, bool) { return s.after(cause(c)) }

// RipenAt makes unpaid orders of a sale such as can be expired in so long, one
// after another with a gap between them, in the order in which they were made.
func (b *Books) RipenAt(ctx context.Context, key string, in, gap time.Duration) error {
	_, err := b.plain().exec(ctx, `UPDATE sale_orders SET pay_before = {now} + ($2 + $3 * (
			SELECT COUNT(*) FROM sale_orders o WHERE o.sale = sale_orders.sale AND o.created_at < sale_orders.created_at)) * {ms}
		WHERE sale = $1 AND status = 'PENDING_PAYMENT'`, key, (in - sweepGrace).Milliseconds(), gap.Milliseconds())
	return err
}

// Hurry makes the shop's answers to refunds late after d.
func (w *Worker) Hurry(d time.Duration) { w.webhook.Timeout = d }

package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

const (
	outboxEvery = time.Second
	outboxBatch = 10
	sendTimeout = 10 * time.Second
	// lease is how long a refund belongs to the worker that sends it. It is
	// longer than a whole batch may take.
	lease         = (outboxBatch + 2) * sendTimeout
	firstRetry    = 2 * time.Second
	longestRetry  = 10 * time.Minute
	largestAnswer = 4 << 10
)

// refund is money that is due back.
type refund struct {
	Payment     string `json:"payment_id"`
	Reservation string `json:"reservation"`
	Sale        string `json:"sale"`
	Amount      string `json:"amount,omitempty"`
	Currency    string `json:"currency,omitempty"`
	Reason      string `json:"reason"`
	Attempt     int    `json:"attempt"`
}

func scanRefund(scan func(...any) error) (refund, error) {
	var r refund
	err := scan(&r.Payment, &r.Reservation, &r.Sale, &r.Amount, &r.Currency, &r.Reason, &r.Attempt)
	r.Amount = plainAmount(r.Amount)
	return r, err
}

// sendRefunds announces refunds that are due, each to be repeated until it is
// taken. Without an address they wait in the table.
func (w *Worker) sendRefunds(ctx context.Context) error {
	if err := w.countRefunds(ctx); err != nil || !w.section.RefundURL.IsSet() {
		return err
	}
	leased, err := w.books.leaseRefunds(ctx)
	if err != nil {
		return err
	}
	var faults []error
	for _, r := range leased {
		if ctx.Err() != nil {
			return errors.Join(faults...) // the lease runs out by itself
		}
		if err := w.send(ctx, r); err != nil {
			faults = append(faults, fmt.Errorf("send refund: %w", err), w.books.postpone(ctx, r))
			continue
		}
		w.metrics.refundsSent.WithLabelValues(saleID(r.Sale)).Inc()
		// What the shop has taken is written down, also at the end.
		faults = append(faults, w.books.sent(context.WithoutCancel(ctx), r))
	}
	return errors.Join(faults...)
}

// send posts one refund, signed. Anything but 2xx is a failure.
func (w *Worker) send(ctx context.Context, r refund) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.section.RefundURL.Reveal(), bytes.NewReader(body))
	if err != nil {
		return errors.New("worker.refund_url cannot be read as a URL") // the cause would quote it
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", r.Payment)
	req.Header.Set(signatureHeader, sign(w.section.Token, time.Now(), body))
	answer, err := webhook.Do(req)
	if err != nil {
		return unquoted(err)
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, largestAnswer))
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the shop answered %s", answer.Status)
	}
	return nil
}

// webhook follows no redirect: a refund goes to the address that was configured.
var webhook = &http.Client{
	Timeout:       sendTimeout,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// leaseRefunds takes refunds that are due for this worker alone, for a while.
func (b *Books) leaseRefunds(ctx context.Context) (leased []refund, err error) {
	err = b.inTx(ctx, func(c conn) error {
		leased, err = rows(ctx, c, scanRefund, `WITH due AS MATERIALIZED (
				SELECT payment_id FROM refunds WHERE sent_at IS NULL AND next_at <= {now}
				ORDER BY next_at LIMIT $1 {skip})
			UPDATE refunds SET next_at = {now} + $2 * {ms}, attempts = attempts + 1
			WHERE payment_id IN (SELECT payment_id FROM due) AND sent_at IS NULL
			RETURNING payment_id, reservation_id, sale, COALESCE(CAST(amount AS text), ''), COALESCE(currency, ''), reason, attempts`,
			outboxBatch, lease.Milliseconds())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("lease refunds: %w", err)
	}
	return leased, nil
}

// sent records that a refund was taken, and that its money is no longer ours.
func (b *Books) sent(ctx context.Context, r refund) error {
	err := b.inTx(ctx, func(c conn) error {
		n, err := c.exec(ctx, `UPDATE refunds SET sent_at = {now} WHERE payment_id = $1 AND sent_at IS NULL`, r.Payment)
		if err != nil || n == 0 {
			return err
		}
		p := payment{ID: r.Payment, Currency: r.Currency}
		if r.Amount != "" {
			p.Amount = "-" + r.Amount
		}
		return c.write(ctx, entry{Sale: r.Sale, Reservation: r.Reservation, Cause: "refunded", Payment: p})
	})
	if err != nil {
		return fmt.Errorf("record refund: %w", err)
	}
	return nil
}

// postpone gives a refund that was not taken its next time.
func (b *Books) postpone(ctx context.Context, r refund) error {
	_, err := b.plain().exec(ctx, `UPDATE refunds SET next_at = {now} + $2 * {ms}
		WHERE payment_id = $1 AND sent_at IS NULL AND attempts = $3`, r.Payment, backoff(r.Attempt).Milliseconds(), r.Attempt)
	if err != nil {
		return fmt.Errorf("postpone refund: %w", err)
	}
	return nil
}

// backoff doubles with each attempt, up to longestRetry, give or take a quarter.
func backoff(attempt int) time.Duration {
	d := min(firstRetry<<min(attempt-1, 20), longestRetry)
	return d*3/4 + rand.N(d/2)
}

// countRefunds shows how many refunds wait.
func (w *Worker) countRefunds(ctx context.Context) error {
	var n int
	err := w.books.plain().row(ctx, `SELECT COUNT(*) FROM refunds WHERE sent_at IS NULL`).Scan(&n)
	if err != nil {
		return fmt.Errorf("count refunds: %w", err)
	}
	w.metrics.refundsDue.Set(float64(n))
	return nil
}

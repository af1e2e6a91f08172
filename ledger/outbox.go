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
	answer, err := w.webhook.Do(req)
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

// newWebhook returns a client that follows no redirect: a refund goes to the
// address that was configured.
func newWebhook() *http.Client {
	return &http.Client{
		Timeout:       sendTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// backoff doubles with each attempt, up to longestRetry, give or take a quarter.
func backoff(attempt int) time.Duration {
	d := min(firstRetry<<min(attempt-1, 20), longestRetry)
	return d*3/4 + rand.N(d/2)
}

package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	outboxEvery = time.Second
	outboxBatch = 10
	sendTimeout = 10 * time.Second
	// lease is how long a refund belongs to the worker that sends it: longer than
	// its delivery may take, the writing before and after included.
	lease         = sendTimeout + 2*txTimeout
	largestAnswer = 4 << 10
	// attemptHeader counts the deliveries of one refund, from 1.
	attemptHeader = "Waitroom-Attempt"
)

// sendRefunds announces refunds that are due, each to be repeated until it is
// taken. Without an address they wait in the table. A batch that the shop takes
// whole is followed by the next one at once.
func (w *Worker) sendRefunds(ctx context.Context) error {
	if err := w.countRefunds(ctx); err != nil || !w.section.RefundURL.IsSet() {
		return err
	}
	for ctx.Err() == nil {
		leased, err := w.books.leaseRefunds(ctx)
		if err != nil {
			return err
		}
		if err := w.deliverAll(ctx, leased); err != nil || len(leased) < outboxBatch {
			return err
		}
	}
	return nil
}

// deliverAll delivers refunds side by side: a shop that hangs holds up a batch no
// longer than one delivery.
func (w *Worker) deliverAll(ctx context.Context, leased []refund) error {
	faults := make([]error, len(leased))
	var all sync.WaitGroup
	for i, r := range leased {
		all.Go(func() { faults[i] = w.deliver(ctx, r) })
	}
	all.Wait()
	return errors.Join(faults...)
}

// deliver sends one refund and writes down what came of it, also at the end of
// the program. A delivery that was cut short may have been taken: it is sent
// again, as what it was.
func (w *Worker) deliver(ctx context.Context, r refund) error {
	fault := w.send(ctx, r)
	if fault != nil {
		fault = fmt.Errorf("refund %q, attempt %d: %w", r.Payment, r.attempt, fault)
	}
	return errors.Join(fault, within(context.WithoutCancel(ctx), txTimeout, func(ctx context.Context) error {
		if fault != nil {
			return w.books.postpone(ctx, r, retryIn(r.attempt, fault))
		}
		w.metrics.refundsSent.WithLabelValues(saleID(r.Sale)).Inc()
		return w.books.sent(ctx, r)
	}))
}

// send posts one refund, signed. Anything but 2xx is a failure; of a 2xx nothing
// more is needed, so that an answer which breaks off afterwards is one.
func (w *Worker) send(ctx context.Context, r refund) error {
	body, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("send refund: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.section.RefundURL.Reveal(), bytes.NewReader(body))
	if err != nil {
		return errors.New("send refund: worker.refund_url cannot be read as a URL") // the cause would quote it
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", r.Payment)
	req.Header.Set(attemptHeader, strconv.Itoa(r.attempt))
	req.Header.Set(signatureHeader, sign(w.section.Token, time.Now(), body))
	answer, err := w.webhook.Do(req)
	if err != nil {
		return fmt.Errorf("send refund: %w", unquoted(err))
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("send refund: %w", &declined{answer.Status, retryAfter(answer.Header, time.Now())})
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, largestAnswer)) // the connection is used again
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

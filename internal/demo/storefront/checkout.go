package storefront

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// What the pages say that the toy costs, and what is reported as paid: with a price
// in the sale's file, the worker compares.
const price, currency = "49.00", "EUR"

// till reports payments to the worker.
type till struct {
	worker, token string
	client        *http.Client
}

func (s *Shop) checkout(w http.ResponseWriter, r *http.Request) {
	reservation := r.URL.Query().Get("reservation")
	if !named(reservation) {
		say(w, r, http.StatusBadRequest, note{Status: "no_reservation", Text: "This address names no reservation."})
		return
	}
	render(w, http.StatusOK, "checkout.html", note{Reservation: reservation})
}

// pay takes the money, which is always there, and reports it. A second press
// reports the same payment, so however often it is pressed it pays once.
func (s *Shop) pay(w http.ResponseWriter, r *http.Request) {
	reservation := reservationOf(r)
	if !named(reservation) {
		say(w, r, http.StatusBadRequest, note{Status: "no_reservation", Text: "There is no reservation to pay for."})
		return
	}
	code, status, err := s.till.report(r.Context(), reservation)
	n := note{Status: status, Reservation: reservation}
	switch {
	case err != nil:
		code, n.Status, n.Text = http.StatusBadGateway, "busy", "Your payment could not be booked. Press again: you will not pay twice."
	case code == http.StatusOK && status == "refund_due":
		n.Text = "Your payment came too late and the toys are gone. You will get your money back."
	case code == http.StatusOK:
		n.Text = "Paid. The golden toy is yours."
	case code == http.StatusAccepted:
		n.Status, n.Text = "accepted", "Thank you. Your payment is being booked."
	case code == http.StatusConflict && status == "refund_due":
		n.Status, n.Text = "refund_due", "Your payment is not what the toy costs. You will get your money back."
	case code == http.StatusNotFound:
		n.Status, n.Text = "unknown", "We know no such reservation."
	default:
		code, n.Status, n.Text = http.StatusBadGateway, "refused", "Your payment could not be booked."
	}
	say(w, r, code, n)
}

// report tells the worker that a reservation is paid. The payment's name comes
// from the reservation's, so that a repeated report is the same payment.
func (t till) report(ctx context.Context, reservation string) (int, string, error) {
	sum := sha256.Sum256([]byte("payment of " + reservation))
	body, err := json.Marshal(map[string]string{
		"payment_id": "pay_" + hex.EncodeToString(sum[:12]), "amount": price, "currency": currency,
	})
	if err != nil {
		return 0, "", err
	}
	target := strings.TrimSuffix(t.worker, "/") + "/v1/orders/" + url.PathEscape(reservation) + "/paid"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return 0, "", fmt.Errorf("report payment: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+t.token)
	res, err := t.client.Do(req)
	if err != nil {
		return 0, "", fmt.Errorf("report payment: %w", err)
	}
	defer res.Body.Close()
	var answer struct{ Status string }
	raw, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return 0, "", fmt.Errorf("report payment: %w", err)
	}
	_ = json.Unmarshal(raw, &answer) // a refusal may be plain text; its code says enough
	return res.StatusCode, answer.Status, nil
}

// reservationOf reads the reservation from a form or from JSON.
func reservationOf(r *http.Request) string {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return r.PostFormValue("reservation")
	}
	var body struct{ Reservation string }
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		return ""
	}
	return body.Reservation
}

// named reports whether s can be a reservation's name: letters, digits and
// dashes, so that it cannot climb out of the worker's path.
func named(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	return strings.IndexFunc(s, func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}) < 0
}

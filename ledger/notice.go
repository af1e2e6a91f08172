package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/waitroom/waitroom/gate"
)

// notice applies a payment, or keeps it while its winner is on its way. It says
// paid, refund_due or finishing.
func (w *Worker) notice(ctx context.Context, p payment) (gate.Status, error) {
	out, err := w.pay(ctx, p)
	if !errors.Is(err, errUnknown) {
		return gate.Status(out), err
	}
	key, err := w.findWinner(ctx, p.Reservation)
	if err != nil {
		return "", err
	}
	if err := w.books.keepEarly(ctx, key, p); err != nil {
		return "", err
	}
	// It may have been written between the two looks.
	out, err = w.pay(ctx, p)
	if errors.Is(err, errUnknown) {
		return gate.Finishing, nil
	}
	return gate.Status(out), err
}

// findWinner returns the sale in which a winner is on its way. It fails with
// errUnknown when no gate knows it.
func (w *Worker) findWinner(ctx context.Context, reservation string) (key string, err error) {
	var faults []error
	for key := range *w.sales.Load() {
		g := w.gateOf(key)
		if g == nil {
			continue
		}
		_, ok, err := g.Find(ctx, reservation)
		if ok {
			return key, nil
		}
		faults = append(faults, err)
	}
	// A gate that could not be asked may be the one that knows.
	if err := errors.Join(faults...); err != nil {
		return "", err
	}
	return "", errUnknown
}

// badBody says what is wrong with a body, and what would be right.
type badBody struct{ what string }

func (e *badBody) Error() string { return e.what }

var (
	amountForm   = regexp.MustCompile(`^(0|[1-9][0-9]{0,11})(\.[0-9]{1,4})?$`)
	currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)
)

// parsePayment reads the notice of a payment for a reservation. An amount may be
// a number or a text; 19.9 and "19.90" are the same.
func parsePayment(reservation string, body []byte) (payment, error) {
	var n struct {
		Payment     string      `json:"payment_id"`
		Reservation string      `json:"reservation"`
		Amount      json.Number `json:"amount"`
		Currency    string      `json:"currency"`
	}
	if err := json.Unmarshal(body, &n); err != nil {
		return payment{}, &badBody{fmt.Sprintf(`the body is not what it should be: %v; right would be {"payment_id": "…", "amount": 19.90, "currency": "EUR"}`, err)}
	}
	p := payment{
		ID: n.Payment, Reservation: reservation,
		Amount: plainAmount(n.Amount.String()), Currency: strings.ToUpper(n.Currency),
	}
	switch {
	case p.ID == "" || len(p.ID) > longestName || !utf8.ValidString(p.ID) || strings.ContainsFunc(p.ID, unicode.IsControl):
		return payment{}, &badBody{fmt.Sprintf("payment_id: required, at most %d bytes of printable text", longestName)}
	case n.Amount != "" && !amountForm.MatchString(n.Amount.String()):
		return payment{}, &badBody{"amount: a plain decimal is right, with at most four digits behind the point, such as 19.90"}
	case p.Currency != "" && !currencyForm.MatchString(p.Currency):
		return payment{}, &badBody{"currency: three letters are right, such as EUR"}
	}
	if named, err := uuid.Parse(n.Reservation); n.Reservation != "" && (err != nil || named.String() != reservation) {
		return payment{}, &badBody{"reservation: the body names another one than the address"}
	}
	return p, nil
}

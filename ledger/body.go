package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// badBody says what is wrong with a body, and what would be right.
type badBody struct{ what string }

func (e *badBody) Error() string { return e.what }

var (
	amountForm   = regexp.MustCompile(`^(0|[1-9][0-9]{0,17})(\.[0-9]{1,4})?$`)
	currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)
)

// parsePayment reads the notice of a payment for a reservation. An amount may be
// a number or a text; 19.9 and "19.90" are the same.
func parsePayment(reservation string, body []byte) (payment, error) {
	said, err := parseFields(body)
	if err != nil {
		return payment{}, err
	}
	if err := said.misspelt(); err != nil {
		return payment{}, err
	}
	id, errID := said.text("payment_id")
	amount, errAmount := said.amount()
	currency, errCurrency := said.text("currency")
	if err := errors.Join(errID, errAmount, errCurrency, said.names(reservation)); err != nil {
		return payment{}, err
	}
	p := payment{ID: id, Reservation: reservation, Amount: amount, Currency: strings.ToUpper(currency)}
	switch {
	// What is no UTF-8, or half a surrogate pair, has been read as U+FFFD: two
	// ids could become one.
	case p.ID == "" || len(p.ID) > longestName || strings.ContainsRune(p.ID, utf8.RuneError) || strings.ContainsFunc(p.ID, unicode.IsControl):
		return payment{}, &badBody{fmt.Sprintf("payment_id: required, at most %d bytes of printable text", longestName)}
	case p.Currency != "" && !currencyForm.MatchString(p.Currency):
		return payment{}, &badBody{"currency: three letters are right, such as EUR"}
	}
	return p, nil
}

// parseCancel reads the body of a cancellation: nothing, or an object that may
// name the reservation.
func parseCancel(reservation string, body []byte) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	said, err := parseFields(body)
	if err != nil {
		return err
	}
	return said.names(reservation)
}

// fields are what a body says, by name as it is written there.
type fields map[string]json.RawMessage

// parseFields reads a body that is one JSON object. A name that is given twice is
// refused: whoever signed the body may have read the other one.
func parseFields(body []byte) (fields, error) {
	bad := &badBody{`the body is not one JSON object in UTF-8; right would be {"payment_id": "…", "amount": 19.90, "currency": "EUR"}`}
	d := json.NewDecoder(bytes.NewReader(body))
	if start, err := d.Token(); err != nil || start != json.Delim('{') || !utf8.Valid(body) {
		return nil, bad
	}
	said := make(fields)
	for d.More() {
		token, err := d.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, bad
		}
		if _, twice := said[name]; twice {
			return nil, &badBody{fmt.Sprintf("%.40q is given twice; once is right", name)}
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, bad
		}
		said[name] = value
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return nil, bad
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, bad
	}
	return said, nil
}

// text reads a field that is a text; empty when it is not there or null.
func (f fields) text(name string) (s string, err error) {
	if value, ok := f[name]; ok && json.Unmarshal(value, &s) != nil {
		return "", &badBody{name + ": a text in quotes is right"}
	}
	return s, nil
}

// amount reads the amount as a plain decimal; empty when it is not said.
func (f fields) amount() (string, error) {
	value, ok := f["amount"]
	if !ok || string(value) == "null" {
		return "", nil
	}
	said := string(value) // a number as it is written
	if s, err := f.text("amount"); err == nil {
		said = s
	}
	if !amountForm.MatchString(said) {
		return "", &badBody{"amount: a plain decimal is right, with at most four digits behind the point, such as 19.90"}
	}
	return plainAmount(said), nil
}

// names fails when the body names another reservation than its address: a
// signature proves the body alone.
func (f fields) names(reservation string) error {
	named, err := f.text("reservation")
	if err != nil || named == "" {
		return err
	}
	if id, err := uuid.Parse(named); err != nil || id.String() != reservation {
		return &badBody{"reservation: the body names another one than the address"}
	}
	return nil
}

package ledger

import (
	"errors"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

// The price of a sale is written beside its stock, and goes from there into each
// order that is written. A payment is held to its order's own price, whatever the
// file says by then.

// wrongPrice says that a payment is not of what its order costs.
type wrongPrice struct {
	due  configs.Money
	back bool // the money that came is due back; else none came
}

func (e *wrongPrice) Error() string {
	said := "amount or currency: " + e.due.String() + " is right for this order"
	if e.back {
		return said + "; what was paid is due back"
	}
	return said
}

// status is what becomes of the money.
func (e *wrongPrice) status() gate.Status {
	if e.back {
		return gate.RefundDue
	}
	return ""
}

func isWrong(err error) bool {
	_, wrong := errors.AsType[*wrongPrice](err)
	return wrong
}

// due is what all units of an order cost; none when that is not known.
func (o order) due() configs.Money { return o.Price.Times(o.Qty) }

// pays reports whether a payment is of what an order costs, as far as both say.
// Amounts are compared as plain decimals, digit by digit.
func (p payment) pays(due configs.Money) bool {
	return !due.IsSet() ||
		(p.Amount == "" || p.Amount == plainAmount(due.Amount())) &&
			(p.Currency == "" || p.Currency == due.Currency())
}

// scanPrice makes a price of what the books say: nothing, or what was read from
// a file once.
func scanPrice(amount, currency string) (configs.Money, error) {
	if amount == "" {
		return configs.Money{}, nil
	}
	return configs.ParseMoney(amount + " " + currency)
}

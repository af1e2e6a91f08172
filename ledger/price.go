package ledger

import (
	"context"
	"errors"
	"fmt"

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

// refundWrong makes the money of a payment that is not of what its order costs
// due back. The order stays as it is, and waits for the right one. With no money
// there is nothing to send back, nor to remember.
func (c conn) refundWrong(ctx context.Context, o order, p payment) error {
	if p.Amount == "0" {
		return &wrongPrice{due: o.due()}
	}
	if o.Status == Paid { // its shopper has nothing to be told of
		return c.refund(ctx, o.Sale, p, reasonWrong)
	}
	return c.refundOf(ctx, o, p, reasonWrong)
}

// scanPrice makes a price of what the books say: nothing, or what was read from
// a file once.
func scanPrice(amount, currency string) (configs.Money, error) {
	if amount == "" {
		return configs.Money{}, nil
	}
	return configs.ParseMoney(amount + " " + currency)
}

// setPrice makes the orders that are written from now on cost what the sale says.
func (b *Books) setPrice(ctx context.Context, sale *configs.Sale) error {
	_, err := b.plain().exec(ctx, `UPDATE sale_stock SET price = $2, currency = $3 WHERE sale = $1`,
		sale.Key, nullable(priceOf(sale)), nullable(sale.Price.Currency()))
	if err != nil {
		return fmt.Errorf("set price of %s: %w", sale.Key, err)
	}
	return nil
}

// priceOf is a sale's price as the books write it; empty when it has none.
func priceOf(sale *configs.Sale) string {
	if !sale.Price.IsSet() {
		return ""
	}
	return sale.Price.Amount()
}

// price follows the file's price, once it says something that this keeper has not
// done yet (see follow).
func (k *keeper) price(ctx context.Context, sale *configs.Sale) error {
	if k.priced && k.asked == sale.Price {
		return nil
	}
	if err := k.worker.books.setPrice(ctx, sale); err != nil {
		return err
	}
	k.priced, k.asked = true, sale.Price
	return nil
}

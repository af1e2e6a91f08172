package ledger

import (
	"context"
	"errors"

	"github.com/waitroom/waitroom/gate"
)

var errUnknownSale = errors.New("no such sale")

// view is an order as the storefront sees it. Times are Unix milliseconds.
type view struct {
	Reservation string      `json:"reservation"`
	Sale        string      `json:"sale,omitempty"`
	Account     string      `json:"account,omitempty"`
	Qty         int         `json:"qty,omitempty"`
	Amount      string      `json:"amount,omitempty"` // of what all units cost
	Currency    string      `json:"currency,omitempty"`
	Status      gate.Status `json:"status"`
	CreatedAt   int64       `json:"created_at,omitempty"`
	PayBefore   int64       `json:"pay_before,omitempty"`
	Payment     string      `json:"payment_id,omitempty"`
	ReleasedAt  int64       `json:"released_at,omitempty"`
}

// view returns what is known of a reservation: by the books, else by the gate,
// where a winner may be on its way.
func (w *Worker) view(ctx context.Context, reservation string) (view, error) {
	o, ok, err := w.books.plain().order(ctx, reservation)
	if err != nil {
		return view{}, err
	}
	if ok {
		v := view{
			Reservation: o.ID, Sale: o.Sale, Account: o.Account, Qty: o.Qty, Status: o.note().Status,
			CreatedAt: o.Created.UnixMilli(), PayBefore: o.PayBefore.UnixMilli(), Payment: o.Payment,
		}
		if due := o.due(); due.IsSet() {
			v.Amount, v.Currency = due.Amount(), due.Currency()
		}
		if !o.Released.IsZero() {
			v.ReleasedAt = o.Released.UnixMilli()
		}
		return v, nil
	}
	s, err := w.unwritten(ctx, reservation)
	return view{Reservation: reservation, Status: s}, err
}

// unwritten tells of a reservation that has no order: refused, or on its way. One
// that is refused between the two looks has left the gate at the second.
func (w *Worker) unwritten(ctx context.Context, reservation string) (gate.Status, error) {
	for range 2 {
		refusal, err := w.books.refusalNotes(ctx, reservation)
		if err != nil {
			return "", err
		}
		if len(refusal) == 1 {
			return refusal[0].Status, nil
		}
		if _, err = w.findWinner(ctx, reservation); !errors.Is(err, errUnknown) {
			return gate.Finishing, err
		}
	}
	return "", errUnknown
}

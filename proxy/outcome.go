package proxy

import (
	"errors"
	"net/http"

	"github.com/waitroom/waitroom/gate"
	"github.com/waitroom/waitroom/static"
)

// reserved is the JSON of a yes, or of the one that an account has had.
type reserved struct {
	Status      string `json:"status"`
	Reservation string `json:"reservation"`
	PayBefore   int64  `json:"pay_before,omitempty"` // of a hold
	Checkout    string `json:"checkout"`
	AdmittedAt  int64  `json:"admitted_at,omitempty"` // when the pass was taken in this request
}

// outcome is the table from the gate's word to the shopper's answer.
func (v *visit) outcome(hold gate.Hold, err error) answer {
	if already, ok := errors.AsType[*gate.AlreadyBoughtError](err); ok {
		return v.alreadyBought(already.Reservation)
	}
	switch {
	case err == nil:
		v.house.metrics.hold(v.door.sale.ID, hold.Again)
		v.door.got.add(v.shopper.pass.Account(), hold.Mark)
		v.spend()
		return v.yes(hold)
	case errors.Is(err, gate.ErrSoldOut):
		return v.soldOut()
	case errors.Is(err, gate.ErrKeyReused):
		return v.problem(http.StatusUnprocessableEntity, "key_reused", static.BadRequest)
	case errors.Is(err, gate.ErrTooMany):
		return v.problem(http.StatusUnprocessableEntity, "too_many", static.BadRequest)
	case errors.Is(err, gate.ErrClosed), errors.Is(err, gate.ErrBacklog), errors.Is(err, gate.ErrBusy):
		return v.paused()
	default:
		return v.unanswered("reserve", err)
	}
}

// yes is "you got one". The pass is signed again with the reservation in it, and
// for as long as the order may still be paid, so that the origin can be told. It
// is now one of the sale, since orders outlive a line that is forgotten.
func (v *visit) yes(hold gate.Hold) answer {
	p := *v.shopper.pass
	p.Sale, p.Reservation, v.got = v.door.sale.Key, hold.Reservation, hold.Reservation
	if until := hold.PayBefore.Add(v.door.sale.Hold); until.After(p.Expires) {
		p.Expires = until
	}
	view := v.view(me{poll: spread(orderPoll)})
	v.showOrder(&view, hold.Reservation)
	view.PayIn = hold.PayBefore.Sub(v.board.now())
	return answer{
		status: http.StatusCreated, decision: "reserved", page: v.heldPage(hold), view: view,
		cookies: []*http.Cookie{v.passCookie(p)},
		body: reserved{Status: "reserved", Reservation: hold.Reservation,
			PayBefore: hold.PayBefore.UnixMilli(), Checkout: view.Checkout},
	}
}

// heldPage is what a person is shown who got a unit: one who presses again after
// paying must not be asked to pay.
func (v *visit) heldPage(hold gate.Hold) static.Page {
	if hold.Again && v.q.wantsPage() {
		if note := v.note(); note != nil && note.Status == gate.Paid {
			return static.Paid
		}
	}
	return static.Held
}

// alreadyBought leads back to what the account has.
func (v *visit) alreadyBought(reservation string) answer {
	view := v.view(me{poll: spread(orderPoll)})
	v.showOrder(&view, reservation)
	return answer{status: http.StatusConflict, decision: "already_bought", page: static.AlreadyBought, view: view,
		body: reserved{Status: "already_bought", Reservation: reservation, Checkout: view.Checkout}}
}

package proxy

import (
	"net/http"
	"time"

	"github.com/waitroom/waitroom/proxy/kept"
	"github.com/waitroom/waitroom/static"
)

const (
	// pressHolds is how long a press that gave no ticket counts for one that is got
	// otherwise: as long as to show what is asked for it may take.
	pressHolds = 10 * time.Minute
	// mostToCheckout is how many bytes of what was chosen go along to the checkout.
	mostToCheckout = 1 << 10
)

// isForm reports whether a request is a form that a browser has posted, from a page
// that may speak for its shopper.
func (v *visit) isForm() bool {
	return v.q.method == http.MethodPost && v.q.wantsPage() && !v.elsewhere
}

// pressed is what this shopper's browser keeps of a press in this run of the sale; ok is
// false if it keeps nothing. What somebody else has pressed in it is lost to them.
func (v *visit) pressed() (f kept.Form, ok bool) {
	for value := range v.q.cookies(formPrefix, v.door.sale.ID) {
		switch f, ok := v.house.forms.Open(v.door.sale.Key, value); {
		case !ok:
		case f.Reservation == "" && !v.isOf(f.Owner):
			return kept.Form{At: f.At, Lost: true}, true
		default:
			return f, true
		}
	}
	return kept.Form{}, false
}

// owner is who presses: the account of who is signed in, or else whom the ticket is of.
// Empty while there is neither.
func (v *visit) owner() string {
	if account := v.house.account(v.q); account != "" {
		return kept.Owner("account", account)
	}
	if device := v.shopper.device(); device != "" {
		return kept.Owner("ticket", device)
	}
	return ""
}

// isOf reports whether an owner is this shopper. A press that gave no ticket is of who
// comes by one and is not signed in either.
func (v *visit) isOf(owner string) bool {
	if owner == "" {
		return v.house.account(v.q) == ""
	}
	return owner == v.owner()
}

// keep is the answer to a buy, and what the browser keeps of the press with it: while
// there is a turn to wait for, all of it, so that it is at hand when the turn comes;
// with a unit, what goes along to the checkout; once all is over, nothing. A press that
// is not kept outdates the one before it all the same.
func (v *visit) keep(a answer) answer {
	switch {
	case a.status == http.StatusCreated:
		a.cookies = append(a.cookies, v.boughtWith()...)
	case a.decision == "already_bought", a.decision == stateEnded, a.decision == stateSoldOut && v.board.state == stateSoldOut:
		a.cookies = append(a.cookies, v.forgotten()...)
	case v.elsewhere:
	case v.isForm() && (a.location != "" || a.status == http.StatusTooManyRequests ||
		a.status == http.StatusServiceUnavailable || a.decision == stateSoldOut):
		a.cookies = append(a.cookies, v.formCookie(v.press(), v.formLife()))
	case v.isForm():
		a.cookies = append(a.cookies, v.outdated()...)
	default: // a script knows itself what it has pressed
		a.cookies = append(a.cookies, v.forgotten()...)
	}
	return a
}

// press is what this request posts. What was refused before its body was read is read
// for it, if that is no more than could be kept.
func (v *visit) press() kept.Form {
	f := kept.Form{At: v.now(), Owner: v.owner(), Query: v.q.query}
	if v.asksFor == nil && v.r.Header.Get("Expect") == "" && 0 < v.r.ContentLength && v.r.ContentLength <= 4*kept.Most {
		v.asksFor, _ = readAsk(v.r) // what is not understood is lost
	}
	if v.asksFor == nil {
		f.Lost = hasBody(v.r)
	} else {
		f.Fields, f.Lost = v.asksFor.said.fields, v.asksFor.said.files
	}
	return f.Fits()
}

// boughtWith replaces what is kept by what the checkout's address tells of it.
func (v *visit) boughtWith() []*http.Cookie {
	f := kept.Form{At: v.now(), Reservation: v.got}
	chosen := v.chosen(v.got)
	for _, name := range v.door.sale.CheckoutFields() {
		if value := chosen(name); value != "" {
			f.Fields = append(f.Fields, kept.Field{Name: name, Value: value})
		}
	}
	if len(f.Fields) == 0 {
		return v.forgotten()
	}
	return []*http.Cookie{v.formCookie(f.Fits(), v.shopper.pass.Expires.Sub(v.now()))}
}

// chosen gives what a buy said of a field that got a reservation: this one, or one
// before of which the browser keeps it.
func (v *visit) chosen(reservation string) func(field string) string {
	var fields []kept.Field
	if len(v.door.sale.CheckoutFields()) > 0 {
		f, ok := v.pressed()
		switch {
		case ok && f.Reservation == reservation:
			fields = f.Fields
		case v.asksFor != nil && v.got == reservation:
			fields = v.asksFor.fields()
		}
	}
	return func(field string) string {
		value, _ := first(fields, field)
		return value
	}
}

// checkout is the way to it for one reservation.
func (v *visit) checkout(reservation string) string {
	return v.door.sale.CheckoutFor(reservation, v.chosen(reservation))
}

// tooLong reports whether the fields of what is asked for that go along to the checkout
// are more than an address should hold.
func (v *visit) tooLong() bool {
	size := 0
	fields := v.asksFor.fields()
	for _, name := range v.door.sale.CheckoutFields() {
		value, _ := first(fields, name)
		size += len(value)
	}
	return size > mostToCheckout
}

// recall puts into the page of one's turn what was pressed before it: as one text, since
// views are compared, as keys of the pages that lie ready, and a list of fields could not be.
func (v *visit) recall(view *static.View) {
	f, ok := v.pressed()
	if !ok || f.Reservation != "" {
		return
	}
	view.Pressed, view.Lost, view.Kept = true, f.Lost, f.Encoded()
	if f.Query != "" {
		view.BuyPath += "?" + f.Query
	}
}

// unpressed is the answer to who joins in another way than by pressing: what was
// pressed long before is not meant any more.
func (v *visit) unpressed(a answer) answer {
	if f, ok := v.pressed(); !ok || v.now().Sub(f.At) > pressHolds {
		a.cookies = append(a.cookies, v.forgotten()...)
	}
	return a
}

// forgotten removes what a browser keeps that has sent it.
func (v *visit) forgotten() []*http.Cookie {
	name := formPrefix + v.door.sale.ID
	if v.q.cookie(formPrefix, v.door.sale.ID) == "" {
		return nil
	}
	return []*http.Cookie{ownCookie(name, "", 0)}
}

// outdated replaces what a browser keeps that has sent it by a press that is lost.
func (v *visit) outdated() []*http.Cookie {
	if v.q.cookie(formPrefix, v.door.sale.ID) == "" {
		return nil
	}
	return []*http.Cookie{v.formCookie(kept.Form{At: v.now(), Owner: v.owner(), Lost: true}, v.formLife())}
}

// formLife is how long what was pressed may be of use: as long as a ticket.
func (v *visit) formLife() time.Duration { return v.door.sale.Closes.Sub(v.now()) + ticketExtra }

func (v *visit) formCookie(f kept.Form, life time.Duration) *http.Cookie {
	return ownCookie(formPrefix+v.door.sale.ID, v.house.forms.Seal(v.door.sale.Key, f), life)
}

// now is Redis time as far as this edge knows it.
func (v *visit) now() time.Time {
	if v.board == nil {
		return time.Now()
	}
	return v.board.now()
}

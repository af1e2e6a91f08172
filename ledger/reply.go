package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/waitroom/waitroom/gate"
)

// fail is the one table from errors to answers.
func (a *api) fail(ctx context.Context, rw http.ResponseWriter, err error) {
	bad, unread := errors.AsType[*badBody](err)
	wrong, mispriced := errors.AsType[*wrongPrice](err)
	switch {
	case unread:
		a.refuse(rw, http.StatusBadRequest, bad.what)
	case mispriced:
		a.reply(rw, answer{http.StatusConflict, refusal{Error: wrong.Error(), Status: wrong.status()}})
	case errors.Is(err, errUnclaimed):
		a.refuse(rw, http.StatusNotFound, errUnclaimed.Error())
	case errors.Is(err, errUnknown):
		a.refuse(rw, http.StatusNotFound, errUnknown.Error())
	case errors.Is(err, errUnknownSale):
		a.refuse(rw, http.StatusNotFound, errUnknownSale.Error())
	case errors.Is(err, errReused):
		a.refuse(rw, http.StatusConflict, errReused.Error())
	case errors.Is(err, errOrderPaid):
		a.refuse(rw, http.StatusConflict, errOrderPaid.Error())
	case errors.Is(err, errNotWritten):
		rw.Header().Set("Retry-After", "1")
		a.refuse(rw, http.StatusServiceUnavailable, errNotWritten.Error())
	default:
		a.worker.complain(ctx, "answer request", err)
		rw.Header().Set("Retry-After", "2")
		a.refuse(rw, http.StatusServiceUnavailable, "the books or the gate do not answer now; ask again with the same payment_id")
	}
}

func (a *api) refuse(rw http.ResponseWriter, code int, what string) {
	a.reply(rw, answer{code, refusal{Error: what}})
}

// refusal is the body of every answer that is no success.
type refusal struct {
	Error  string      `json:"error"`
	Status gate.Status `json:"status,omitempty"` // of the money that was refused
}

func (a *api) reply(rw http.ResponseWriter, said answer) {
	rw.Header().Set("Content-Type", "application/json")
	rw.Header().Set("Cache-Control", "no-store")
	rw.WriteHeader(said.code)
	_ = json.NewEncoder(rw).Encode(said.body) // the client may have left
}

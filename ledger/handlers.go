package ledger

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/waitroom/waitroom/gate"
)

// answer is what a handler says: a status and a body to marshal.
type answer struct {
	code int
	body any
}

type handler func(r *http.Request, body []byte) (answer, error)

type status struct {
	Status gate.Status `json:"status"`
}

func (a *api) paid(r *http.Request, body []byte) (answer, error) {
	id, err := reservationOf(r)
	if err != nil {
		return answer{}, err
	}
	p, err := parsePayment(id, body)
	if err != nil {
		return answer{}, err
	}
	s, err := a.worker.notice(r.Context(), p)
	if err != nil {
		return answer{}, err
	}
	if s == gate.Finishing {
		return answer{http.StatusAccepted, status{s}}, nil
	}
	return answer{http.StatusOK, status{s}}, nil
}

func (a *api) cancel(r *http.Request, body []byte) (answer, error) {
	id, err := reservationOf(r)
	if err != nil {
		return answer{}, err
	}
	if err := parseCancel(id, body); err != nil {
		return answer{}, err
	}
	s, err := a.worker.cancel(r.Context(), id)
	if err != nil {
		return answer{}, err
	}
	return answer{http.StatusOK, status{s}}, nil
}

func (a *api) order(r *http.Request, _ []byte) (answer, error) {
	id, err := reservationOf(r)
	if err != nil {
		return answer{}, err
	}
	v, err := a.worker.view(r.Context(), id)
	if err != nil {
		return answer{}, err
	}
	return answer{http.StatusOK, v}, nil
}

// reconcile looks and mends nothing: a GET changes nothing.
func (a *api) reconcile(r *http.Request, _ []byte) (answer, error) {
	name := r.PathValue("sale")
	for _, s := range *a.worker.sales.Load() {
		if s.Key == name || s.ID == name {
			balance, err := a.worker.Reconcile(r.Context(), s, false)
			return answer{http.StatusOK, balance}, err
		}
	}
	return answer{}, errUnknownSale
}

func reservationOf(r *http.Request) (string, error) {
	id, err := uuid.Parse(r.PathValue("reservation"))
	if err != nil {
		return "", errUnknown
	}
	return id.String(), nil
}

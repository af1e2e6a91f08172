package ledger

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/gate"
)

const (
	largestBody = 16 << 10
	apiTimeout  = 15 * time.Second
)

// api answers the storefront and the operators.
type api struct {
	worker *Worker
	token  configs.Secret
}

// NewAPI returns the handler of /v1/orders and /v1/sales. A caller needs the
// bearer token or a body signed with it (see docs/ledger.md). Without a token
// nobody is let in.
func NewAPI(w *Worker, token configs.Secret) http.Handler {
	a := &api{worker: w, token: token}
	mux := http.NewServeMux()
	mux.Handle("POST /v1/orders/{reservation}/paid", a.guard(a.paid))
	mux.Handle("POST /v1/orders/{reservation}/cancel", a.guard(a.cancel))
	mux.Handle("GET /v1/orders/{reservation}", a.guard(a.order))
	mux.Handle("GET /v1/sales/{sale}/reconcile", a.guard(a.reconcile))
	return mux
}

// answer is what a handler says: a status and a body to marshal.
type answer struct {
	code int
	body any
}

type handler func(r *http.Request, body []byte) (answer, error)

type status struct {
	Status gate.Status `json:"status"`
}

// guard reads the body, lets only the storefront in, and turns errors into
// answers.
func (a *api) guard(h handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, largestBody))
		if err != nil {
			a.refuse(rw, http.StatusRequestEntityTooLarge, "the body cannot be read, or is larger than 16 KiB")
			return
		}
		if !a.known(r, body) {
			rw.Header().Set("WWW-Authenticate", "Bearer")
			a.refuse(rw, http.StatusUnauthorized, "a bearer token or a Waitroom-Signature of the body is required")
			return
		}
		var said answer
		err = within(r.Context(), apiTimeout, func(ctx context.Context) error {
			said, err = h(r.WithContext(ctx), body)
			return err
		})
		if err != nil {
			a.fail(r.Context(), rw, err)
			return
		}
		a.reply(rw, said)
	})
}

// known reports whether a request is the storefront's.
func (a *api) known(r *http.Request, body []byte) bool {
	if !a.token.IsSet() {
		return false
	}
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return subtle.ConstantTimeCompare([]byte(bearer), []byte(a.token.Reveal())) == 1
	}
	header := r.Header.Get(signatureHeader)
	return header != "" && verify(a.token, time.Now(), header, body)
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

func (a *api) cancel(r *http.Request, _ []byte) (answer, error) {
	id, err := reservationOf(r)
	if err != nil {
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
			account, err := a.worker.Reconcile(r.Context(), s, false)
			return answer{http.StatusOK, account}, err
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

// fail is the one table from errors to answers.
func (a *api) fail(ctx context.Context, rw http.ResponseWriter, err error) {
	var bad *badBody
	switch {
	case errors.As(err, &bad):
		a.refuse(rw, http.StatusBadRequest, bad.what)
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
	a.reply(rw, answer{code, struct {
		Error string `json:"error"`
	}{what}})
}

func (a *api) reply(rw http.ResponseWriter, said answer) {
	rw.Header().Set("Content-Type", "application/json")
	rw.Header().Set("Cache-Control", "no-store")
	rw.WriteHeader(said.code)
	_ = json.NewEncoder(rw).Encode(said.body) // the client may have left
}

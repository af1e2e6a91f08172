package ledger

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/waitroom/waitroom/configs"
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
	// What is asked otherwise is refused in the same form.
	for path, method := range map[string]string{
		"/v1/orders/{reservation}/paid": "POST", "/v1/orders/{reservation}/cancel": "POST",
		"/v1/orders/{reservation}": "GET", "/v1/sales/{sale}/reconcile": "GET",
	} {
		mux.Handle(path, a.only(method))
	}
	mux.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) {
		a.refuse(rw, http.StatusNotFound, "there is nothing at this address; see docs/ledger.md for those that there are")
	})
	return mux
}

// only refuses another method than that of an address.
func (a *api) only(method string) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Allow", method)
		a.refuse(rw, http.StatusMethodNotAllowed, "this address takes "+method+" alone")
	})
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
	// The scheme's case does not count (RFC 9110, section 11.1).
	if scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		return a.token.Matches(strings.TrimLeft(bearer, " "))
	}
	header := r.Header.Get(signatureHeader)
	return header != "" && verify(a.token, time.Now(), header, body)
}

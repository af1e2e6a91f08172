package ledger_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/waitroom/waitroom/internal/contract"
)

// TestContract: every answer of the worker's API is as docs/openapi-worker.yaml says,
// and all that it says was seen.
func TestContract(t *testing.T) {
	each(t, 5, func(s *shop) {
		d := contract.Read(s, "openapi-worker.yaml")
		s.api = d.Guard(s, s.api)
		s.costs("19.90 EUR")
		s.contractRefusals()
		s.contractOrders()
		for _, name := range d.Unseen() {
			s.Errorf("%s: in the document but never seen", name)
		}
	})
}

const (
	rightPayment = `{"payment_id":"p1","amount":"19.90","currency":"EUR"}`
	wrongPayment = `{"payment_id":"p2","amount":"19.80","currency":"EUR"}`
)

// contractRefusals asks everything in ways that are refused.
func (s *shop) contractRefusals() {
	order := "/v1/orders/" + uuid.NewString()
	gone, leave := context.WithCancel(s.Context())
	leave()
	for path, method := range map[string]string{
		order + "/paid": "POST", order + "/cancel": "POST", order: "GET", "/v1/sales/" + s.sale.ID + "/reconcile": "GET",
	} {
		s.contractCode(httptest.NewRequest(method, path, nil), 401)
		body := ""
		if strings.HasSuffix(path, "/paid") {
			body = rightPayment
		}
		s.contractCode(signedIn(httptest.NewRequest(method, path, strings.NewReader(strings.Repeat(" ", 20<<10)))), 413)
		away := httptest.NewRequestWithContext(gone, method, path, strings.NewReader(body)) // no store answers
		s.contractCode(signedIn(away), 503)
		if method == "POST" {
			s.contractCode(signedIn(httptest.NewRequest(method, path, strings.NewReader("{"))), 400)
		}
		unknown := strings.Replace(path, s.sale.ID, "no-such-sale", 1)
		s.contractCode(signedIn(httptest.NewRequest(method, unknown, strings.NewReader(body))), 404)
	}
}

func signedIn(r *http.Request) *http.Request {
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

func (s *shop) contractCode(r *http.Request, want int) {
	s.Helper()
	rec := httptest.NewRecorder()
	s.api.ServeHTTP(rec, r)
	if rec.Code != want {
		s.Errorf("%s %s: got %d %s, want %d", r.Method, r.URL.Path, rec.Code, rec.Body, want)
	}
}

// contractOrders leads orders through all that may become of them.
func (s *shop) contractOrders() {
	early, err := s.reserve("ann")
	check(s.TB, err)
	ask := func(method, path, body string, want int) {
		s.Helper()
		if code, said := s.ask(method, path, body); code != want {
			s.Errorf("%s %s %s: got %d %v, want %d", method, path, body, code, said, want)
		}
	}
	one := "/v1/orders/" + early
	ask("GET", one, "", 200)
	ask("POST", one+"/cancel", "", 503)
	ask("POST", one+"/paid", rightPayment, 202)
	s.drain()
	ask("GET", one, "", 200)
	ask("POST", one+"/paid", rightPayment, 200)
	ask("POST", one+"/cancel", "", 409)
	ask("POST", one+"/paid", `{"payment_id":"p3","amount":"19.90","currency":"EUR"}`, 200) // a second one

	two := "/v1/orders/" + s.buy("bert")
	ask("POST", two+"/paid", rightPayment, 409) // p1 was another's
	ask("POST", two+"/paid", wrongPayment, 409)
	ask("GET", two, "", 200)
	ask("POST", two+"/cancel", `{"reservation":"`+strings.TrimPrefix(two, "/v1/orders/")+`"}`, 200)
	ask("POST", two+"/cancel", "", 200)
	ask("GET", two, "", 200)
	ask("GET", "/v1/sales/"+s.sale.ID+"/reconcile", "", 200)
}

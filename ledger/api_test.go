package ledger_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/waitroom/waitroom/configs"
	"github.com/waitroom/waitroom/ledger"
)

func TestAPILetsOnlyTheStorefrontIn(t *testing.T) {
	each(t, 1, func(s *shop) {
		path, body := "/v1/orders/"+uuid.NewString()+"/paid", `{"payment_id":"p1"}`
		key, now := s.section.Token, time.Now()
		for _, c := range []struct {
			name, header, value string
			code                int
		}{
			{"nothing", "", "", 401},
			{"bearer", "Authorization", "Bearer " + token, 404},
			{"bearer in small letters", "Authorization", "bearer " + token, 404},
			{"bearer alone", "Authorization", "Bearer", 401},
			{"wrong bearer", "Authorization", "Bearer nope", 401},
			{"empty bearer", "Authorization", "Bearer ", 401},
			{"basic", "Authorization", "Basic " + token, 401},
			{"signed", "Waitroom-Signature", ledger.Sign(key, now, []byte(body)), 404},
			{"signed by another", "Waitroom-Signature", ledger.Sign(configs.NewSecret("x"), now, []byte(body)), 401},
			{"signed long ago", "Waitroom-Signature", ledger.Sign(key, now.Add(-6*time.Minute), []byte(body)), 401},
			{"signed too far ahead", "Waitroom-Signature", ledger.Sign(key, now.Add(6*time.Minute), []byte(body)), 401},
			{"another body signed", "Waitroom-Signature", ledger.Sign(key, now, []byte(body+" ")), 401},
			{"no signature", "Waitroom-Signature", "t=,v1=", 401},
		} {
			req := httptest.NewRequest("POST", path, strings.NewReader(body))
			if c.header != "" {
				req.Header.Set(c.header, c.value)
			}
			rec := httptest.NewRecorder()
			s.api.ServeHTTP(rec, req)
			if rec.Code != c.code || !strings.Contains(rec.Body.String(), `"error"`) {
				s.Errorf("%s: got %d %s, want %d", c.name, rec.Code, rec.Body, c.code)
			}
		}
		req := httptest.NewRequest("POST", path, strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer ")
		rec := httptest.NewRecorder()
		ledger.NewAPI(s.worker, configs.Secret{}).ServeHTTP(rec, req)
		if rec.Code != 401 {
			s.Errorf("without a token: got %d, want 401", rec.Code)
		}
		if code, _ := s.ask("POST", path, strings.Repeat(" ", 20<<10)); code != 413 {
			s.Errorf("large body: got %d, want 413", code)
		}
	})
}

func TestAPIReconcile(t *testing.T) {
	each(t, 3, func(s *shop) {
		s.open()
		s.buy("ann")
		code, body := s.ask("GET", "/v1/sales/"+s.sale.ID+"/reconcile", "")
		if code != 200 || body["agree"] != true || body["held"] != 1.0 || body["left"] != 2.0 {
			s.Errorf("got %d %v", code, body)
		}
		for _, field := range []string{
			"total", "sold", "held", "paid", "left", "in_transit", "in_stream", "receipts",
			"receipts_without_order", "orders_without_receipt", "mended", "agree",
		} {
			if _, ok := body[field]; !ok {
				s.Errorf("field %s is missing", field)
			}
		}
		if code, _ := s.ask("GET", "/v1/sales/nothing/reconcile", ""); code != 404 {
			s.Errorf("unknown sale: got %d, want 404", code)
		}
	})
}

// TestAPIRefusesInOneForm: what is asked of another address, or in another way, gets
// an object with an error, too.
func TestAPIRefusesInOneForm(t *testing.T) {
	each(t, 1, func(s *shop) {
		order := "/v1/orders/" + uuid.NewString()
		for _, c := range []struct {
			method, path, allow string
			code                int
		}{
			{"GET", order + "/paid", "POST", 405},
			{"PUT", order + "/cancel", "POST", 405},
			{"DELETE", order, "GET", 405},
			{"POST", "/v1/sales/toy/reconcile", "GET", 405},
			{"GET", "/v1/orders/", "", 404},
			{"POST", order + "/pay", "", 404},
		} {
			rec := httptest.NewRecorder()
			s.api.ServeHTTP(rec, httptest.NewRequest(c.method, c.path, nil))
			if rec.Code != c.code || rec.Header().Get("Allow") != c.allow || !strings.HasPrefix(rec.Body.String(), `{"error":"`) {
				s.Errorf("%s %s: got %d, Allow %q, %s; want %d and %q", c.method, c.path, rec.Code, rec.Header().Get("Allow"), rec.Body, c.code, c.allow)
			}
		}
	})
}

// The example of docs/ledger.md.
func TestSignatureOfTheManual(t *testing.T) {
	t.Parallel()
	const want = "t=1764234000,v1=40f1170e57e2ffb5064fcddadb1186621f9ff59938eeff018ada86d6311f3b4e"
	got := ledger.Sign(configs.NewSecret("secret"), time.Unix(1764234000, 0), []byte(`{"payment_id":"p1"}`))
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

package crowd_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/internal/demo/crowd"
)

func TestObey(t *testing.T) {
	t.Parallel()
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusConflict)
		}
	}))
	t.Cleanup(shop.Close)
	var out bytes.Buffer
	if err := crowd.Obey(t.Context(), strings.NewReader(`{"Edge":"`+shop.URL+`","Shoppers":3,"Straight":true}`), &out); err != nil {
		t.Fatal(err)
	}
	// What one process says, the other hears.
	report, err := crowd.Send(t.Context(), []string{"echo", out.String()}, crowd.Brief{}, nil, t.Output())
	if err != nil || report.Shoppers != 3 || report.ToldNo != 3 {
		t.Errorf("got %+v and %v, want 3 told no", report, err)
	}
}

func TestObey_RefusesNonsense(t *testing.T) {
	t.Parallel()
	for _, brief := range []string{"", "{", `{"Edge":"ftp://shop","Shoppers":1}`} {
		var out bytes.Buffer
		if err := crowd.Obey(t.Context(), strings.NewReader(brief), &out); err == nil || out.Len() > 0 {
			t.Errorf("%q: got %v and %q, want an error and no word", brief, err, &out)
		}
	}
}

func TestSend_ProcessThatSaysNothing(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"false", "true", "no-such-program"} {
		if _, err := crowd.Send(t.Context(), []string{command}, crowd.Brief{}, nil, t.Output()); err == nil {
			t.Errorf("%s: got no error", command)
		}
	}
}

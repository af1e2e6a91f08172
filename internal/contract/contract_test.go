package contract_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/waitroom/waitroom/internal/contract"
)

// TestDocuments: each is a right document, and so are its examples.
func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openapi.yaml", "openapi-worker.yaml", "openapi-admin.yaml"} {
		contract.Read(t, name)
	}
}

// TestFaults: whatever an answer says that the document does not, or the other way
// round, is found.
func TestFaults(t *testing.T) {
	t.Parallel()
	const me = `{"state":"none","number":null,"place":null,"ahead":null,"eta_low_s":null,"eta_high_s":null,"odds":null,"poll_after_ms":20000}`
	for _, test := range []struct {
		name   string
		status int
		body   string
		fields string // name and value in turn
		want   string // in the only fault; empty: none
	}{
		{"right", 200, me, "", ""},
		{"another status", 418, me, "", "418 is not in the document"},
		{"a field more", 200, strings.Replace(me, "{", `{"more":1,`, 1), "", `"more" is unsupported`},
		{"a field less", 200, strings.Replace(me, `"place":null,`, "", 1), "", `"place" is missing`},
		{"another word", 200, strings.Replace(me, "none", "nothing", 1), "", "allowed values"},
		{"null where it is none", 200, strings.Replace(me, "20000", "null", 1), "", "not nullable"},
		{"no Retry-After", 429, `{"status":"slow_down"}`, "", `"Retry-After" missing`},
		{"Retry-After", 429, `{"status":"slow_down"}`, "Retry-After 3", ""},
		{"Retry-After that is none", 429, `{"status":"slow_down"}`, "Retry-After soon", "Retry-After"},
		{"a header more", 200, me, "Set-Cookie a=b", "Set-Cookie that is not in the document"},
		{"another kind", 200, me, "Content-Type text/plain", "text/plain"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"no-store"}}
			if name, value, ok := strings.Cut(test.fields, " "); ok {
				h.Set(name, value)
			}
			d := contract.Read(t, "openapi.yaml")
			r := httptest.NewRequest(http.MethodGet, "https://shop.example.com/.waitroom/toy/me", nil)
			faults := d.Faults(r, test.status, h, []byte(test.body))
			if test.want == "" && len(faults) > 0 || test.want != "" && (len(faults) != 1 || !strings.Contains(faults[0], test.want)) {
				t.Errorf("faults are %q, want one with %q", faults, test.want)
			}
		})
	}
}

// TestUnseen: what was not seen is missed, what was seen is not, and nothing is excused
// that was.
func TestUnseen(t *testing.T) {
	t.Parallel()
	const name = "GET /.waitroom/{sale}/me 404"
	d := contract.Read(t, "openapi.yaml")
	if !slices.Contains(d.Unseen(), name) || slices.Contains(d.Unseen(name), name) {
		t.Errorf("%s: not missed, or missed though it is excused", name)
	}
	r := httptest.NewRequest(http.MethodGet, "https://shop.example.com/.waitroom/toy/me", nil)
	d.Faults(r, http.StatusNotFound, http.Header{}, nil)
	if slices.Contains(d.Unseen(), name) || !slices.Contains(d.Unseen(name), name) {
		t.Errorf("%s: missed though it was seen, or excused though it was", name)
	}
}

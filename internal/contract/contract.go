// Package contract holds real answers against the OpenAPI documents in docs/. It is
// for tests alone.
//
// It is strict in both directions: what an answer says and its document does not
// (a status, a field of the body, a header) is a fault, and so is, in the end, what
// the document says and no answer ever was.
package contract

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// Document is one document, and what was seen of it.
type Document struct {
	spec *openapi3.T

	mu   sync.Mutex
	seen map[string]bool // by Name
}

// Read reads a document of docs/. It must be valid, with all its examples.
func Read(t testing.TB, name string) *Document {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	spec, err := openapi3.NewLoader().LoadFromFile(filepath.Join(filepath.Dir(here), "../../docs", name))
	if err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
	if err := spec.Validate(context.Background()); err != nil {
		t.Fatalf("%s is no right document: %v", name, err)
	}
	return &Document{spec: spec, seen: map[string]bool{}}
}

// Name is what an operation's answer is called in lists, such as
// "POST /.waitroom/{sale}/ticket 429".
func Name(method, path string, status int) string {
	return fmt.Sprintf("%s %s %d", method, path, status)
}

// Watch holds every answer that comes through a transport against the document.
func (d *Document) Watch(t testing.TB, next http.RoundTripper) http.RoundTripper {
	return watched{t, d, next}
}

type watched struct {
	t    testing.TB
	d    *Document
	next http.RoundTripper
}

func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if err == nil {
		for _, fault := range w.d.Faults(r, resp.StatusCode, resp.Header, body) {
			w.t.Errorf("%s %s: %s", r.Method, r.URL.Path, fault)
		}
	}
	return resp, err
}

// Guard holds every answer of a handler against the document.
func (d *Document) Guard(t testing.TB, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said := httptest.NewRecorder()
		next.ServeHTTP(said, r)
		for _, fault := range d.Faults(r, said.Code, said.Header(), said.Body.Bytes()) {
			t.Errorf("%s %s: %s", r.Method, r.URL.Path, fault)
		}
		maps.Copy(w.Header(), said.Header())
		w.WriteHeader(said.Code)
		_, _ = w.Write(said.Body.Bytes())
	})
}

// Faults are the ways in which an answer is not as the document says. About addresses
// and methods that are no operation of it there is nothing to say.
func (d *Document) Faults(r *http.Request, status int, h http.Header, body []byte) []string {
	path, params := d.match(r.URL.Path)
	item := d.spec.Paths.Value(path)
	if item == nil || item.GetOperation(r.Method) == nil {
		return nil
	}
	op := item.GetOperation(r.Method)
	said := op.Responses.Status(status)
	if said == nil {
		return []string{fmt.Sprintf("%d is not in the document: %.300s", status, body)}
	}
	d.mu.Lock()
	d.seen[Name(r.Method, path, status)] = true
	d.mu.Unlock()

	faults := undocumented(said.Value, status, h)
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: r, PathParams: params,
			Route: &routers.Route{Spec: d.spec, Path: path, PathItem: item, Method: r.Method, Operation: op},
		},
		Status: status, Header: h,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	}
	in.SetBodyBytes(body)
	if err := openapi3filter.ValidateResponse(context.Background(), in); err != nil {
		what, _, _ := strings.Cut(err.Error(), "\nSchema:")
		faults = append(faults, fmt.Sprintf("%d: %s: %.300s", status, what, body))
	}
	if len(said.Value.Content) == 0 && len(body) > 0 {
		faults = append(faults, fmt.Sprintf("%d has a body that is not in the document: %.300s", status, body))
	}
	return faults
}

// Unseen are the answers that the document says, were never seen, and are not excused,
// each by Name; and the excuses that are none, because it was seen after all.
func (d *Document) Unseen(excused ...string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for path, item := range d.spec.Paths.Map() {
		for method, op := range item.Operations() {
			for code := range op.Responses.Map() {
				name := method + " " + path + " " + code
				if d.seen[name] == slices.Contains(excused, name) {
					out = append(out, name)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// match finds the path of the document that an address is of, the one with the fewest
// holes; empty: none.
func (d *Document) match(address string) (path string, params map[string]string) {
	asked := strings.Split(address, "/")
	for name := range d.spec.Paths.Map() {
		said := strings.Split(name, "/")
		if len(said) != len(asked) {
			continue
		}
		holes := map[string]string{}
		fits := true
		for i, part := range said {
			switch {
			case strings.HasPrefix(part, "{"):
				holes[strings.Trim(part, "{}")] = asked[i]
			case part != asked[i]:
				fits = false
			}
		}
		if fits && (path == "" || len(holes) < len(params)) {
			path, params = name, holes
		}
	}
	return path, params
}

// ofHTTP are fields that every answer may have, whatever it is about.
var ofHTTP = []string{"Alt-Svc", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Date", "Vary", "X-Content-Type-Options"}

// ofPages are those of a page for people.
var ofPages = []string{"Content-Language", "Content-Security-Policy", "Referrer-Policy", "X-Robots-Tag"}

// undocumented are the fields of an answer that its document does not name.
func undocumented(said *openapi3.Response, status int, h http.Header) []string {
	page := strings.HasPrefix(h.Get("Content-Type"), "text/html")
	var faults []string
	named := map[string]bool{}
	for name := range said.Headers {
		named[http.CanonicalHeaderKey(name)] = true
	}
	for name := range h {
		if !named[name] && !slices.Contains(ofHTTP, name) && !(page && slices.Contains(ofPages, name)) {
			faults = append(faults, fmt.Sprintf("%d has a field %s that is not in the document", status, name))
		}
	}
	return faults
}

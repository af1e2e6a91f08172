package proxy

import (
	"net/url"
	"strings"
	"testing"
)

// TestReadForm: what net/url reads is read, pair by pair, and what it does not is an error.
func TestReadForm(t *testing.T) {
	t.Parallel()
	for _, encoded := range []string{
		"", "a=1", "a=1&b=2&a=3", "a", "=", "a==b", "a=%26&b=%C3%BC+x", "&&a=1&", "a=1;b=2", "a=%", "%zz=1", "a=%2", "qty=1", "qty=1&qty=2", "a=%00",
	} {
		f, err := readForm(encoded)
		want, wrong := url.ParseQuery(encoded)
		if (err != nil) != (wrong != nil) {
			t.Errorf("%q: %v, of net/url %v", encoded, err, wrong)
			continue
		}
		got := url.Values{}
		for _, one := range f.fields {
			got.Add(one.Name, one.Value)
		}
		if err == nil && got.Encode() != want.Encode() {
			t.Errorf("%q: got %s, want %s", encoded, got.Encode(), want.Encode())
		}
	}
	for _, encoded := range []string{"items[0][qty]=1", "QTY=1", "_method=get", "_method=post&_method=post", strings.Repeat("a=1&", 101)} {
		if _, err := readForm(encoded); err == nil {
			t.Errorf("%.40q is read", encoded)
		}
	}
}

func FuzzReadForm(f *testing.F) {
	f.Add("a=1&b=%2B&a")
	f.Fuzz(func(t *testing.T, encoded string) {
		got, err := readForm(encoded)
		want, wrong := url.ParseQuery(encoded)
		if err == nil && (wrong != nil || len(got.qty) != len(want["qty"])) {
			t.Errorf("%q: got %q, of net/url %v, %v", encoded, got.fields, want, wrong)
		}
	})
}

package proxy

import (
	"testing"

	"github.com/waitroom/waitroom/configs"
)

func TestHosts(t *testing.T) {
	t.Parallel()
	listed := newHosts([]string{"Shop.example.com", "*.example.org"})
	for _, test := range []struct {
		hosts hosts
		name  string
		want  bool
	}{
		{nil, "any.example.net", true},
		{listed, "shop.example.com", true},
		{listed, "a.shop.example.com", false},
		{listed, "example.com", false},
		{listed, "a.example.org", true},
		{listed, "a.b.example.org", false},
		{listed, "example.org", false},
		{listed, "org", false},
	} {
		if got := test.hosts.serve(test.name); got != test.want {
			t.Errorf("%v serves %s: %t, want %t", test.hosts, test.name, got, test.want)
		}
	}
}

// TestOwnNames: however a client writes a name, a page calls the shop by one of a few.
func TestOwnNames(t *testing.T) {
	t.Parallel()
	listed := &configs.Config{Listen: configs.Listen{HTTPS: ":8443"}, TLS: configs.TLS{Domains: []string{"Shop.example.com", "*.example.org"}}}
	for _, test := range []struct {
		of         *configs.Config
		host, want string
	}{
		{listed, "shop.example.com", "Shop.example.com"},
		{listed, "SHOP.example.com:8443", "Shop.example.com:8443"},
		{listed, "shop.example.com:1234", "Shop.example.com"},
		{listed, "shop.example.com.", "Shop.example.com"},
		{listed, "any.example.org", ""},
		{&configs.Config{TLS: configs.TLS{Domains: []string{"*.example.org"}}}, "any.example.org", ""},
		{&configs.Config{}, "localhost:8443", "localhost:8443"},
	} {
		if got := newOwnNames(test.of).of(test.host); got != test.want {
			t.Errorf("%v, %s: got %q, want %q", test.of.TLS.Domains, test.host, got, test.want)
		}
	}
}

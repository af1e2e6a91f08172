package proxy

import (
	"strings"
	"testing"

	"github.com/waitroom/waitroom/configs"
)

// TestShopHosts: names of the shop's own, and the port that it is listened at.
func TestShopHosts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ domains, https, want string }{
		{"shop.example.com www.example.com", ":443", "shop.example.com"},
		{"shop.example.com", ":8443", "shop.example.com shop.example.com:8443"},
		{"shop.example.com", "127.0.0.1:8443", "shop.example.com shop.example.com:8443"},
		{"shop.example.com", "127.0.0.1:0", "shop.example.com"},
		{"*.example.com shop.example.com", ":443", "shop.example.com"},
		{"*.example.com", ":8443", "origin:8080"},
		{"", ":8443", "origin:8080"},
	} {
		cfg := &configs.Config{Listen: configs.Listen{HTTPS: test.https}, TLS: configs.TLS{Domains: strings.Fields(test.domains)}}
		if got := strings.Join(shopHosts(cfg, "origin:8080"), " "); got != test.want {
			t.Errorf("%q at %s: got %s, want %s", test.domains, test.https, got, test.want)
		}
	}
}

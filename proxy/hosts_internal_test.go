package proxy

import "testing"

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

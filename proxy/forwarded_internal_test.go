package proxy

import (
	"net/http"
	"testing"
)

// TestSetForwarded: what is said of a peer, and what of a trusted one's word is
// kept, however it is written.
func TestSetForwarded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		peer      string
		trusted   bool
		said      http.Header
		forwarded string
		chain     string
	}{
		{"192.0.2.1:99", false, http.Header{"X-Forwarded-For": {"198.51.100.1"}, "Forwarded": {"for=198.51.100.1"}},
			`for=192.0.2.1;host="shop.example.com";proto=http`, "192.0.2.1"},
		{"[2001:db8::1]:99", false, nil, `for="[2001:db8::1]";host="shop.example.com";proto=http`, "2001:db8::1"},
		{"[fe80::1%eth0]:99", false, nil, `for="[fe80::1]";host="shop.example.com";proto=http`, "fe80::1"},
		{"[::ffff:192.0.2.1]:99", false, nil, `for=192.0.2.1;host="shop.example.com";proto=http`, "192.0.2.1"},
		{"@", false, nil, `for=unknown;host="shop.example.com";proto=http`, "unknown"},
		{"192.0.2.1:99", true, http.Header{
			"X-Forwarded-For": {"198.51.100.1, 198.51.100.2", "[2001:db8::1]:443"},
			"Forwarded":       {`for="_hidden, \"and\" quoted"`, `for="[2001:db8::1]:443";by=_me`},
		}, `for="_hidden, \"and\" quoted", for="[2001:db8::1]:443";by=_me, for=192.0.2.1;host="shop.example.com";proto=http`,
			"198.51.100.1, 198.51.100.2, [2001:db8::1]:443, 192.0.2.1"},
	} {
		in := &http.Request{RemoteAddr: test.peer, Host: "shop.example.com", Header: test.said}
		out := http.Header{}
		setForwarded(out, in, test.trusted)
		if got := out.Get("Forwarded"); got != test.forwarded {
			t.Errorf("%s: Forwarded is %s, want %s", test.peer, got, test.forwarded)
		}
		if got := out.Get("X-Forwarded-For"); got != test.chain {
			t.Errorf("%s: X-Forwarded-For is %s, want %s", test.peer, got, test.chain)
		}
	}
}

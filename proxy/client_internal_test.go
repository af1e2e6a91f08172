package proxy

import (
	"context"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

func TestClient(t *testing.T) {
	t.Parallel()
	trusted := trust{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:ffff::/48")}
	for _, test := range []struct {
		peer  string
		chain []string
		want  string
	}{
		{"192.0.2.1:99", nil, "192.0.2.1"},
		{"192.0.2.1:99", []string{"198.51.100.1"}, "192.0.2.1"},
		{"10.0.0.1:99", nil, "10.0.0.1"},
		{"10.0.0.1:99", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:99", []string{"203.0.113.1, 198.51.100.1, 10.0.0.2"}, "198.51.100.1"},
		{"10.0.0.1:99", []string{"203.0.113.1", "198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:99", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"10.0.0.1:99", []string{"198.51.100.1, unknown"}, "10.0.0.1"},
		{"10.0.0.1:99", []string{"198.51.100.1, unknown, 10.0.0.2"}, "10.0.0.2"},
		{"10.0.0.1:99", []string{""}, "10.0.0.1"},
		{"10.0.0.1:99", []string{"198.51.100.1:4711"}, "198.51.100.1"},
		{"10.0.0.1:99", []string{"[2001:db8::1]:4711"}, "2001:db8::1"},
		{"10.0.0.1:99", []string{"2001:db8::1, 2001:db8:ffff::2"}, "2001:db8::1"},
		{"[::ffff:10.0.0.1]:99", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"[2001:db8:ffff::1]:99", []string{"198.51.100.1"}, "198.51.100.1"},
	} {
		r := &http.Request{RemoteAddr: test.peer, Header: http.Header{"X-Forwarded-For": test.chain}}
		if got := trusted.client(asks(r)); got.String() != test.want {
			t.Errorf("peer %s, chain %q: got %s, want %s", test.peer, test.chain, got, test.want)
		}
	}
}

// TestClient_OfNobody: over a proxy's own connection nobody vouches for what is said,
// neither of the address nor of the account.
func TestClient_OfNobody(t *testing.T) {
	t.Parallel()
	id, err := newIdentity(configs.Identity{Header: "X-Account"})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{trust: trust{netip.MustParsePrefix("10.0.0.0/8")}, identity: id}
	for own, want := range map[bool][2]string{false: {"198.51.100.1", "anna"}, true: {"10.0.0.1", ""}} {
		r := &http.Request{RemoteAddr: "10.0.0.1:99", Header: http.Header{"X-Forwarded-For": {"198.51.100.1"}, "X-Account": {"anna"}}}
		r = r.WithContext(context.WithValue(t.Context(), wayInKey{}, wayIn{own: own}))
		if got := h.trust.client(asks(r)).String(); got != want[0] {
			t.Errorf("its own %v: the client is %s, want %s", own, got, want[0])
		}
		if got := h.account(asks(r)); (got != "") != (want[1] != "") {
			t.Errorf("its own %v: the account is %q, want one like %q", own, got, want[1])
		}
	}
}

func TestForwardedNode(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{"192.0.2.1": "192.0.2.1", "2001:db8::1": `"[2001:db8::1]"`, "fe80::1%eth0": `"[fe80::1]"`} {
		if got := forwardedNode(netip.MustParseAddr(address)); got != want {
			t.Errorf("node of %s is %s, want %s", address, got, want)
		}
	}
	if got := forwardedNode(netip.Addr{}); got != "unknown" {
		t.Errorf("node of nobody is %s, want unknown", got)
	}
}

func TestWantsPage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fields http.Header
		want   bool
	}{
		{http.Header{"Accept": {"text/html,*/*;q=0.8"}}, true},
		{http.Header{"Accept": {"*/*"}}, false},
		{http.Header{}, false},
		{http.Header{"Accept": {"text/html"}, "X-Requested-With": {"XMLHttpRequest"}}, false},
		{http.Header{"Accept": {"text/html"}, "Sec-Fetch-Mode": {"cors"}}, false},
		{http.Header{"Accept": {"*/*"}, "Sec-Fetch-Mode": {"navigate"}}, true},
	} {
		if got := asks(&http.Request{Header: test.fields}).wantsPage(); got != test.want {
			t.Errorf("%v: %t, want %t", test.fields, got, test.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{-time.Minute: "1", 0: "1", 1: "1", time.Millisecond: "1", time.Second: "1", time.Second + 1: "2", 90 * time.Second: "90"} {
		if got := retryAfter(d); got != want {
			t.Errorf("%v is told as %s, want %s", d, got, want)
		}
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{0, time.Second, 20 * time.Second} {
		most := d + max(d/2, time.Second)
		seen := map[time.Duration]bool{}
		for range 100 {
			got := spread(d)
			if got < d || got > most {
				t.Fatalf("%v is spread to %v, want up to %v", d, got, most)
			}
			seen[got] = true
		}
		if len(seen) < 50 {
			t.Errorf("%v is spread to %d waits, want about 100", d, len(seen))
		}
	}
}

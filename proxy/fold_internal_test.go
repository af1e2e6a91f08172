package proxy

import (
	"testing"
	"time"

	"github.com/waitroom/waitroom/configs"
)

func TestFoldPath(t *testing.T) {
	t.Parallel()
	for escaped, want := range map[string]string{
		"": "/", "/": "/", "//": "/", "/a": "/a", "/a/": "/a", "//a///b": "/a/b", "/a/./b/../c": "/a/c", "/../a": "/a",
		"/%61": "/a", "/a%2Fb": "/a/b", "/a%252Fb": "/a/b", "/a%25252Fb": "/a/b", "/a;x=1/b;y": "/a/b", "/a%3Bx/b": "/a/b",
		`/a\b`: "/a/b", "/a%5Cb": "/a/b", "/a%00.css": "/a", "/a%23b": "/a", "/a%3Fb": "/a", "/a%2e%2e": "/a", "/a/%2e%2e/b": "/b",
		"/caf%C3%A9": "/café", "/CAF%C3%89": "/café", "/A": "/a", "/a%zz": "/a%zz", "a": "/a", "/a/..;/b": "/b",
		"/a%20/b%20": "/a/b", "/a%2520": "/a", "/a./b..": "/a/b", "/a.%20.": "/a", "/a%0a": "/a", "/a%0d%0A": "/a", "/%20a": "/a", "/a.b": "/a.b", "/a b": "/a b",
		"/a/..%20/b": "/b", "/a/...": "/a", "/a%25252525252Fb": "/a/b", "/%2525%36%31": "/a", "/%%361": "/a", "/a%zz;%62": "/a%zz", "/%62;%zz": "/b",
		"/\uff42\uff55\uff59": "/buy", "/%c1%a2%C0%AFa": "/b/a", "/%\uff16\uff11": "/a", "/\uff0561": "/a", "/a%C2%A0": "/a", "/\u017fale": "/sale", "/\u212aey": "/key", "/.hidden": "/.hidden",
	} {
		if got := foldPath(escaped); got != want {
			t.Errorf("foldPath(%q) = %q, want %q", escaped, got, want)
		}
		if again := foldPath(want); want != "/a%zz" && again != want {
			t.Errorf("foldPath(%q) = %q, want it unchanged", want, again)
		}
	}
}

// TestClimbs: a path with a step back leads to every path that is left when any of
// its segments are.
func TestClimbs(t *testing.T) {
	t.Parallel()
	const buy = "/toys/golden/buy"
	for _, escaped := range []string{
		"/a%3F/../toys/golden/buy", "/a%23/../toys/golden/buy", "/a%00/../toys/golden/buy", "/a%2Fb/../toys/golden/buy", "/a%252Fb/../toys/golden/buy", `/a\b/../toys/golden/buy`, "/a%5cb/%2e%2e/toys/golden/buy",
		"/toys//../golden/buy", "/toys/%20/../golden/buy", "/toys/.../../golden/buy", "/toys/;a/..;b/golden/buy", "/../toys/golden/buy", "/toys/golden/buy/x/..", "/toys/golden/buy/x/..%3Fy/z", "/toys/golden/x/.../buy",
		"/%2e%252e/TOYS/golden./%62uy", "/toys/golden/buy/../../..", "/toys/golden/buy;/..%00/x", "/\uff0e\uff0e/toys/golden/buy", "/..%c0%aftoys/golden/buy",
	} {
		if parts := climbs(escaped); !leadTo(parts, buy) {
			t.Errorf("%q has the segments %q, and they do not lead to the buy", escaped, parts)
		}
	}
	for _, escaped := range []string{"", "/", "/toys/golden/buy", "/a/../golden/buy", "/toys/golden/./buy", "/a..b/toys/golden/buy", "/..a/toys/golden/buy", "/%2e/toys/golden/buy", "/buy/../golden/toys", "/toys/goldenbuy/.."} {
		if parts := climbs(escaped); leadTo(parts, buy) {
			t.Errorf("%q has the segments %q, and they lead to the buy", escaped, parts)
		}
	}
}

func TestFoldHost(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"": "", "shop.example.com": "shop.example.com", "SHOP.example.com.:443": "shop.example.com", "[::1]": "::1", "[::1]:8443": "::1",
		"127.0.0.1:80": "127.0.0.1", ":443": "", "a:b:c": "a:b:c",
	} {
		if got := foldHost(host); got != want {
			t.Errorf("foldHost(%q) = %q, want %q", host, got, want)
		}
	}
}

func TestRoute(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	sale := func(id string, closes time.Time) configs.Sale {
		return configs.Sale{ID: id, Closes: closes, Product: "/toys/golden", Buy: configs.Buy{Method: "POST", Path: "/toys/golden/buy"}}
	}
	rt := newRoutes([]configs.Sale{sale("first", noon), sale("second", noon.Add(time.Hour))}, nil)
	for _, test := range []struct {
		method, path string
		now          time.Time
		kind         wantKind
		sale, part   string
	}{
		{"GET", "/toys/golden", noon.Add(-1), wantPage, "first", ""},
		{"HEAD", "/toys/golden/", noon, wantPage, "second", ""},
		{"GET", "/toys/golden", noon.Add(24 * time.Hour), wantPage, "second", ""},
		{"POST", "/toys/golden", noon, wantOrigin, "", ""},
		{"OPTIONS", "/toys/golden", noon, wantOrigin, "", ""},
		{"POST", "/toys/golden/buy", noon.Add(-1), wantBuy, "first", ""},
		{"post", "/toys/golden/buy", noon, wantBuy, "second", ""},
		{"GET", "/toys/golden/buy", noon, wantOrigin, "", ""},
		{"PUT", "/toys/golden/buy", noon, wantBuy, "second", ""},
		{"patch", "/TOYS/Golden/buy.", noon, wantBuy, "second", ""},
		{"DELETE", "/toys/golden/buy", noon, wantOrigin, "", ""},
		{"GET", "/.waitroom/first/me", noon, wantOwn, "first", "me"},
		{"GET", "/.WAITROOM/First/ME", noon, wantOwn, "first", "me"},
		{"GET", "/.waitroom/first./me%20", noon, wantOwn, "first", "me"},
		{"GET", "/.waitroom/first/a/b", noon, wantOwn, "first", "a/b"},
		{"GET", "/.waitroom/third/me", noon, wantNothing, "", ""},
		{"GET", "/.waitroom/first", noon, wantNothing, "", ""},
		{"GET", "/.waitroom", noon, wantNothing, "", ""},
		{"GET", "/x/../.waitroom/first/me", noon, wantOwn, "first", "me"},
		{"GET", "/x%2F/../.waitroom/first/me", noon, wantOwn, "first", "me"},
		{"POST", "/x%2Fy/../toys/golden/buy", noon, wantBuy, "second", ""},
		{"GET", "/x%2Fy/../toys/golden", noon, wantOrigin, "", ""},
		{"GET", "/.waitroomer/first/me", noon, wantOrigin, "", ""},
		{"GET", "/", noon, wantOrigin, "", ""},
	} {
		got := rt.route(test.method, test.path, test.now)
		id := ""
		if got.sale != nil {
			id = got.sale.ID
		}
		if got.kind != test.kind || id != test.sale || got.part != test.part {
			t.Errorf("%s %s: got kind %d, sale %q, part %q; want %d, %q, %q", test.method, test.path, got.kind, id, got.part, test.kind, test.sale, test.part)
		}
	}
}

// TestRoute_Unclear: which room a request comes to does not depend on who reads
// its path.
func TestRoute_Unclear(t *testing.T) {
	t.Parallel()
	rt := newRoutes(nil, []configs.Room{{ID: "shop", Path: "/shop"}, {ID: "vip", Path: "/shop/vip"}, {ID: "b", Path: "/b"}})
	for path, want := range map[string]string{
		"/shop/x": "shop", "/shop/./x": "shop", "/shop/x/../y": "shop", "/shop/x/../vip": "vip", "/x/../shop": "shop", "/x%2Fy": "",
		"/b/../shop": "?", "/shop/vip/../x": "?", "/x%2Fy/../b": "?", "/b%2Fy/../x": "b", "/x%3F/../b": "?", "/shop//../x": "?", "/x/../y": "",
	} {
		got := ""
		switch w := rt.route("GET", path, time.Time{}); w.kind {
		case wantUnclear:
			got = "?"
		case wantRoom:
			got = w.room.ID
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}

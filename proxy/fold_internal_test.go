package proxy

import (
	"math"
	"strings"
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
		if parts := climbs(escaped); len(parts) == 0 || !leadTo(parts[0], buy) {
			t.Errorf("%q has the segments %q, and they do not lead to the buy", escaped, parts)
		}
	}
	for _, escaped := range []string{"", "/", "/toys/golden/buy", "/a/../golden/buy", "/toys/golden/./buy", "/a..b/toys/golden/buy", "/..a/toys/golden/buy", "/%2e/toys/golden/buy", "/buy/../golden/toys", "/toys/goldenbuy/.."} {
		if parts := climbs(escaped); len(parts) > 0 && leadTo(parts[0], buy) {
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

// TestRoute_Spelled: a buy by a name that an origin may resolve to it is the buy, and
// nothing else is.
func TestRoute_Spelled(t *testing.T) {
	t.Parallel()
	sales := func(buys ...string) *routes {
		var all []configs.Sale
		for _, buy := range buys {
			all = append(all, configs.Sale{ID: buy, Product: "/page" + buy, Buy: configs.Buy{Method: "POST", Path: buy}})
		}
		return newRoutes(all, []configs.Room{{ID: "shop", Path: "/shop"}, {ID: "vip", Path: "/shop/vip"}})
	}
	plain := sales("/toys/golden/buy")
	for _, path := range []string{
		"/index.php/toys/golden/buy", "/app_dev.PHP/toys/golden/buy", "/pub/index.php/toys/golden/buy", "/toys/index.php/golden/buy", "/toys/golden/buy/index.php", "/index.php/toys/golden/buy.json",
		"/toys/golden/buy.json", "/toys/golden/buy.HTML", "/toys/golden/buy.php", "/toys/golden/buy.php/x", "/toys/golden/buy.aspx/x", "/x%2Fy/../toys/golden/buy.json", "/x/../index.php/toys/golden/buy",
		"/toys/golden/buy+", "/toys+/golden/+buy", "/toys/golden/buy::$DATA", "/toys/golden/buy:$x", "/toys:$i30:$INDEX_ALLOCATION/golden/buy", "/toys/golden/b%e0%81%b5y", "/toys/golden/%f0%80%81%a2uy", "/toys/golden/%f8%80%80%81%a2uy", "/toys/golden/%c1%a2uy",
		"/toys/golden/bu%e0%81%b9", "/toys/golden/buy%e0%81%b9", "/toys/golden/bu%c1%b9y", "/toys/golden/buy%ff", "/toys/golden/b%80uy", "/toys/golden/buy%e2%80%8b", "/toys/golden/bu%c2%ady", "/toys/golden/buy%ef%bb%bf", "/toys/golden/b%ef%b8%8fuy", "/toys/golden/%25%ff62uy", "/toys/golden/%25%e2%80%8b62uy",
		"/%ff../toys/golden/buy", "/x%2Fy/.%e2%80%8b./toys/golden/buy", "/toys%e0%80%afgolden/buy", "/x%2Fy/../toys/golden/buy%e0%81%b9", "/x%2Fy/../toys/golden/bu%e0%81%b9",
	} {
		if got := plain.route("POST", path, time.Time{}); got.kind != wantBuy {
			t.Errorf("POST %s: got kind %d, want the buy", path, got.kind)
		}
		if got := plain.route("GET", path, time.Time{}); got.kind != wantOrigin || !got.onBuy {
			t.Errorf("GET %s: got kind %d, on the buy's path %t, want the origin, on it", path, got.kind, got.onBuy)
		}
	}
	for _, path := range []string{
		"/", "/index.php", "/toys/golden", "/toys/golden.json", "/toys/golden/buyer", "/toys/golden/buy.2", "/toys/golden/buy-now.php", "/index.php/toys/golden", "/toys/golden/buy/now", "/buy", "/index.php/buy", "/toys/golden/index.php", "/toys/golden/buy.json/x",
		"/index.php/index.php", "/toys/silver/buy.json", "/c++", "/a:b", "/caf%C3%A9",
	} {
		if got := plain.route("POST", path, time.Time{}); got.kind != wantOrigin || got.onBuy {
			t.Errorf("POST %s: got kind %d, on the buy's path %t, want the origin and not on it", path, got.kind, got.onBuy)
		}
	}
	for _, test := range []struct{ path, sale string }{
		{"/toys/buy.php", "/toys/buy.php"}, {"/toys/buy.php/x", "/toys/buy.php"}, {"/toys/buy", "/toys/buy.php"}, {"/toys/buy.phtml", "/toys/buy.php"},
		{"/index.php/cart", "/index.php/cart"}, {"/cart", "/index.php/cart"}, {"/cart/index.php", "/index.php/cart"}, {"/cart.json", "/index.php/cart"},
		{"/buy/lego.star.wars", "/buy/lego.star.wars"}, {"/buy/lego.star.wars.json", "/buy/lego.star.wars"}, {"/buy/lego.star.trek", ""}, {"/buy/lego.star", ""},
		{"/add.js", "/add.js"}, {"/add", "/add"}, {"/add.xml", "/add"}, {"/add.js.json", "/add.js"}, {"/toys", ""}, {"/shop.php", "/shop.php"}, {"/shop.php/a/b", "/shop.php"},
		{"/golden+toy/buy", "/golden toy/buy"}, {"/golden%20toy/buy", "/golden toy/buy"}, {"/goldentoy/buy", ""},
	} {
		rt := sales("/toys/buy.php", "/index.php/cart", "/buy/lego.star.wars", "/add.js", "/add", "/shop.php", "/golden toy/buy")
		got := rt.route("POST", test.path, time.Time{})
		if (got.kind == wantBuy) != (test.sale != "") || got.sale != nil && got.sale.ID != test.sale {
			t.Errorf("POST %s: got kind %d of %v, want %q", test.path, got.kind, got.sale, test.sale)
		}
	}
	for path, want := range map[string]string{
		"/index.php/shop": "shop", "/index.php/shop/x": "shop", "/pub/index.php/shop/vip/x": "vip", "/shop/index.php/vip": "vip", "/shop.html": "shop", "/shop.php": "shop", "/shop/vip.json": "vip", "/shop.php/vip": "shop",
		"/shop.css": "", "/shop.png": "", "/shop/vip.css": "shop", "/shopping.html": "", "/index.php": "", "/index.php/x/shop": "", "/shop%ff/x": "shop", "/shop%e2%80%8b": "shop", "/shop+/x": "shop", "/shop::$DATA": "shop", "/shop/x.php": "shop",
	} {
		got := ""
		if w := plain.route("GET", path, time.Time{}); w.kind == wantRoom {
			got = w.room.ID
		}
		if got != want {
			t.Errorf("%s: got the room %q, want %q", path, got, want)
		}
	}
}

// TestRoute_SpelledFast: a path of a quarter of a megabyte costs no more than its
// length. What a busy machine takes away from one try it does not take from all.
func TestRoute_SpelledFast(t *testing.T) {
	t.Parallel()
	rt := newRoutes([]configs.Sale{{ID: "toy", Product: "/toys/golden", Buy: configs.Buy{Method: "POST", Path: "/toys/golden/buy"}}}, nil)
	const bound = 5 * time.Second / 4
	for _, piece := range []string{"/a.php", "%25%ff", "%e2%80%8b", "%f0%80%81", "/.%ff.", "+"} {
		path, took := strings.Repeat(piece, 1<<18/len(piece)), time.Duration(math.MaxInt64)
		for tries := 0; tries < 20 && took > bound; tries++ {
			begun := time.Now()
			rt.route("POST", path, time.Time{})
			took = time.Since(begun)
		}
		if took > bound {
			t.Errorf("%q: %v", piece, took)
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

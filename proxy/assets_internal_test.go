package proxy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestAssets: what a browser fetches along with a page, from the same host.
func TestAssets(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 200 {
		fmt.Fprintf(&many, "<img src=/%d>", i)
	}
	for _, test := range []struct {
		page string
		want []string
	}{
		{``, nil},
		{`<link rel=stylesheet href=a.css><LINK REL="Preload stylesheet" HREF="/b.css?v=1&amp;w">`, []string{"/toys/a.css", "/b.css?v=1&w"}},
		{`<link rel=canonical href=/c><link rel="next" href=/d><a href=/e><form action=/f><iframe src=/g>`, nil},
		{`<script src="//shop.example.com/x.js"></script><script src="https://SHOP.example.com:443/y.js#z"></script>`, []string{"/x.js", "/y.js"}},
		{`<script src="https://elsewhere.example/x.js"></script><script src="http://shop.example.com/x.js"></script><img src="data:image/png,">`, nil},
		{`<img src=/a srcset="/b 1x, /c 2x"><picture><source srcset="/d"></picture>`, []string{"/b", "/c", "/a", "/d"}},
		{`<img src=/a><img src=/a><img src=/toys/golden><img src="/toys/golden?x"><img src="">`, []string{"/a"}},
		{`<script src=/.waitroom/golden-toy/left.js></script><script src="/%2ewaitroom/x/y"></script>`, nil},
		{`<base href=/deep/><img src=a>`, []string{"/deep/a"}},
		{`<base href=https://elsewhere.example/><img src=a>`, nil},
		{`<script>"<img src=/no>"</script><!-- <img src=/no> --><img src="/yes`, nil},
		{`<img src="::"><img src="/a b">`, []string{"/a%20b"}},
	} {
		if got := assets([]byte(test.page), "shop.example.com", "/toys/golden"); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.page, got, test.want)
		}
	}
	if got := assets([]byte(many.String()), "shop.example.com", "/"); len(got) != mostAssets {
		t.Errorf("of very many %d are taken, want %d", len(got), mostAssets)
	}
}

// TestAssetsAreTheOrigins: a page that tells how many units are left loads a script
// of ours, for which the origin must not be asked however the address is written.
func TestAssetsAreTheOrigins(t *testing.T) {
	t.Parallel()
	page := []byte(`<script src="/.waitroom/golden-toy/left.js"></script><script src="//shop.example.com//%2Ewaitroom/x/left.js?v=1"></script>
<link rel="stylesheet" href="/shop.css"><script src="../.waitroom/golden-toy/left.js"></script><img src=".waitroom.png">`)
	if got, want := assets(page, "shop.example.com", "/toys/golden"), []string{"/shop.css", "/toys/.waitroom.png"}; !slices.Equal(got, want) {
		t.Errorf("assets are %q, want %q", got, want)
	}
}

// FuzzAssets: whatever a page holds, what is asked for are targets of the shop, in
// bounded number, and never our own.
func FuzzAssets(f *testing.F) {
	f.Add(`<link rel=icon href=/a><base href=//x><img srcset=", ,/b 1x">`)
	f.Fuzz(func(t *testing.T, page string) {
		got := assets([]byte(page), "shop.example.com", "/toys/golden")
		if len(got) > mostAssets {
			t.Errorf("%d targets", len(got))
		}
		for _, target := range got {
			if !strings.HasPrefix(target, "/") || strings.ContainsAny(target, " \r\n#") || strings.HasPrefix(foldPath(target), prefix) {
				t.Errorf("target %q", target)
			}
		}
	})
}

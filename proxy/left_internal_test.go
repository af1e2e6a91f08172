package proxy

import (
	"slices"
	"testing"
)

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

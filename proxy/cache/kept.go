package cache

import (
	"net/http"
	"slices"
)

// What Cache-Status says (RFC 9211), and how answers of the cache are known.
var (
	statusHit   = []string{"waitroom; hit"}
	statusStale = []string{"waitroom; hit; detail=stale"}
)

// Kept reports whether an answer comes from what was kept, so that the storefront
// had no work with it.
func Kept(resp *http.Response) bool {
	said := resp.Header["Cache-Status"]
	if len(said) == 0 {
		return false
	}
	last := said[len(said)-1:]
	return slices.Equal(last, statusHit) || slices.Equal(last, statusStale)
}

package cache

import (
	"io"
	"net/http"
)

// What Cache-Status says (RFC 9211).
var (
	statusHit   = []string{"waitroom; hit"}
	statusStale = []string{"waitroom; hit; detail=stale"}
)

// keptBody is the body of an answer that was kept, by which it is known: what its
// header says could be the origin's word.
type keptBody struct{ io.Reader }

func (keptBody) Close() error { return nil }

// Kept reports whether an answer comes from what was kept, so that the origin had no
// work with it.
func Kept(resp *http.Response) bool {
	_, is := resp.Body.(keptBody)
	return is
}

package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// ErrNotForAll is a page that must not be shown to everybody.
var ErrNotForAll = errors.New("page is not for everybody")

// notForAll is ErrNotForAll for a reason.
func notForAll(why string) error { return fmt.Errorf("%w: %s", ErrNotForAll, why) }

// judgePage says how long a page may be shown to everybody, or why it may not be.
// It need not say so itself, but must not say otherwise.
func judgePage(h http.Header, came time.Time) (verdict, error) {
	d := parseDirectives(h["Cache-Control"])
	v := verdict{life: newLifetime(http.StatusOK, h, d, came), reach: reach{true, true}}
	if !v.life.explicit {
		v.life.fresh = pageFresh
	}
	v.life.ifError = pageStale
	names, all := varyNames(h)
	names = slices.DeleteFunc(names, func(name string) bool { return name == "Accept-Encoding" })
	said, _ := ageOf(h)
	switch {
	case d.noStore, d.private, d.noCache, len(d.fields) > 0, surrogateForbids(h):
		return v, notForAll("its Cache-Control says so")
	case len(h["Set-Cookie"]) > 0:
		return v, notForAll("it sets a cookie")
	case all, len(names) > 0:
		return v, notForAll("it varies by more than Accept-Encoding")
	case len(h["Content-Encoding"]) > 0:
		return v, notForAll("it is packed though nobody asked for that")
	case isEndless(h):
		return v, notForAll("it is a stream")
	case v.life.fresh <= said:
		return v, notForAll("it has no lifetime left")
	}
	return v, nil
}

// tagged gives a page a tag if it has none that vouches for its bytes.
func tagged(h http.Header, body []byte) http.Header {
	if isStrong(h.Get("Etag")) {
		return h
	}
	h = h.Clone()
	sum := sha256.Sum256(body)
	h.Set("Etag", `"`+hex.EncodeToString(sum[:12])+`"`)
	return h
}

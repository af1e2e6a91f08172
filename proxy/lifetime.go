package proxy

import (
	"net/http"
	"strings"
	"time"

	"github.com/pquerna/cachecontrol/cacheobject"
)

const (
	posterFresh = 5 * time.Second // for a page that states no lifetime
	posterStale = time.Hour       // a page may be shown so long after its lifetime while the origin is away (RFC 5861, 4)
)

// lifetime is how long a page may be shown to everybody (RFC 9111, 3 and
// 4.2.1); false when never.
func lifetime(h http.Header) (time.Duration, bool) {
	cc, err := cacheobject.ParseResponseCacheControl(strings.Join(h.Values("Cache-Control"), ","))
	vary := strings.TrimSpace(strings.Join(h.Values("Vary"), ","))
	switch {
	case err != nil,
		len(h.Values("Set-Cookie")) > 0,
		cc.NoStore, cc.PrivatePresent, cc.NoCachePresent,
		vary != "" && !strings.EqualFold(vary, "Accept-Encoding"),
		h.Get("Content-Encoding") != "":
		return 0, false
	case cc.SMaxAge >= 0:
		return time.Duration(cc.SMaxAge) * time.Second, cc.SMaxAge > 0
	case cc.MaxAge >= 0:
		return time.Duration(cc.MaxAge) * time.Second, cc.MaxAge > 0
	case len(h.Values("Expires")) > 0:
		expires, err := http.ParseTime(h.Get("Expires"))
		date, dateErr := http.ParseTime(h.Get("Date"))
		if err != nil || dateErr != nil {
			return 0, false // such as "0": already over
		}
		return expires.Sub(date), expires.After(date)
	default:
		return posterFresh, true
	}
}

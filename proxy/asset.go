package proxy

import (
	"net/http"
	"slices"
	"strings"

	"github.com/waitroom/waitroom/static"
)

// serveAsset answers for what our own pages load. It is given to everybody, from
// memory, and can be kept for ever (RFC 8246): another content has another name.
func (h *house) serveAsset(w http.ResponseWriter, r *http.Request, rec *record, name string) {
	script, ok := static.Asset(name)
	switch {
	case !ok:
		rec.end(w, r, h.turnAway(r, problem(http.StatusNotFound, "not_found", static.NotFound)))
		return
	case !slices.Contains(gets, r.Method):
		rec.end(w, r, h.turnAway(r, methodNotAllowed(strings.Join(gets, ", "))))
		return
	}
	rec.decision = "asset"
	head := w.Header()
	head.Set("Cache-Control", "public, max-age=31536000, immutable")
	head.Set("Content-Security-Policy", "default-src 'none'") // of a worker: it asks nobody
	head.Set("Content-Type", "text/javascript; charset=utf-8")
	head.Set("X-Content-Type-Options", "nosniff")
	writeBody(w, r, http.StatusOK, script)
}

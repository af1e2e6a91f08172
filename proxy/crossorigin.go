package proxy

import (
	"net/http"
	"strings"
)

// crossOrigin lets a page of another of our domains read what its buy is answered,
// also a no: the shop, which knows who may, has seen no more of it than the preflight.
// Other origins can send a buy that needs no preflight, and are told nothing, as by a
// shop that says nothing of them; their buys carry no ticket, which is SameSite=Lax.
func (h *house) crossOrigin(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	name, secure := strings.CutPrefix(origin, "https://")
	if !secure || strings.EqualFold(name, r.Host) || !h.hosts.has(foldHost(name)) {
		return
	}
	head := w.Header()
	head.Add("Vary", "Origin")
	head.Set("Access-Control-Allow-Origin", origin)
	head.Set("Access-Control-Allow-Credentials", "true")
	head.Set("Access-Control-Expose-Headers", "Retry-After")
}

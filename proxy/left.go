package proxy

import (
	"net/http"

	"github.com/waitroom/waitroom/static"
)

// leftPart is the script that a page of the shop's own loads to tell how many
// units are left. A crowd loads it with the page, so it is given away as the page
// is: to everybody, without a ticket and under no limit.
const leftPart = "left.js"

func serveLeft(w http.ResponseWriter, r *http.Request) {
	script, tag := static.Left()
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=300, stale-while-revalidate=86400")
	h.Set("ETag", tag)
	h.Set("X-Content-Type-Options", "nosniff")
	if etagMatches(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	writeBody(w, r, http.StatusOK, script)
}

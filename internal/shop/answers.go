package shop

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// moved answers with a Location as it stands: clients resolve relative ones.
func moved(to string, status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(status)
	}
}

// movedAbsolute makes an address of what it was told about the request, as
// frameworks do.
func (s *Shop) movedAbsolute(w http.ResponseWriter, r *http.Request) {
	moved(r.Header.Get("X-Forwarded-Proto")+"://"+r.Host+"/account", http.StatusMovedPermanently)(w, r)
}

// ManyCookies are lines of Set-Cookie of every kind that a shop may send, odd
// ones too.
var ManyCookies = func() []string {
	lines := []string{
		"plain=1", "q=\"x y\"; Path=/", "empty=; Path=/", "gone=; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
		"euro=%E2%82%AC; Domain=shop.test; Path=/; Secure", "caf\xe9=\xe9; Path=/", "a=b=c==; SameSite=None; Secure; Partitioned",
		"lang=de;path=/;samesite=strict;httponly", "dup=1; Path=/", "dup=2; Path=/x", "__Host-own=1; Secure; Path=/", "comma=a,b; Priority=High",
	}
	for i := range 100 - len(lines) {
		lines = append(lines, fmt.Sprintf("c%d=%d; Path=/", i, i))
	}
	return lines
}()

func (s *Shop) manyCookies(w http.ResponseWriter, _ *http.Request) {
	w.Header()["Set-Cookie"] = ManyCookies
	_, _ = io.WriteString(w, "crumbs")
}

// PackedText is what /packed says, once it is unpacked.
var PackedText = strings.Repeat("a golden toy, half price; ", 400)

// packed is packed by the shop itself, for whoever takes that.
func (s *Shop) packed(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Vary", "Accept-Encoding")
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		_, _ = io.WriteString(w, PackedText)
		return
	}
	h.Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	_, _ = io.WriteString(z, PackedText)
	_ = z.Close()
}

// tagged has a tag, and nothing that lets anybody keep it unasked.
func (s *Shop) tagged(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("ETag", `"v1"`)
	h.Set("Cache-Control", "private, no-cache")
	if r.Header.Get("If-None-Match") == `"v1"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	page(w, "Tagged", "")
}

// WideBytes is the length of the one field that /wide has.
const WideBytes = 24 << 10

func (s *Shop) wide(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("X-Wide", strings.Repeat("w", WideBytes))
	_, _ = io.WriteString(w, "wide")
}

// things takes every method an API may have.
func (s *Shop) things(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Access-Control-Allow-Origin", "https://app.test")
	w.Header().Set("X-Method", r.Method)
	if r.Method == http.MethodDelete && len(body) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	answer(w, http.StatusOK, map[string]string{"method": r.Method, "id": r.PathValue("id"), "body": string(body), "type": r.Header.Get("Content-Type")})
}

// preflight is what a browser asks before a page of another site may call.
func (s *Shop) preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	h.Set("Access-Control-Allow-Methods", "PUT, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
	h.Add("Vary", "Origin")
	w.WriteHeader(http.StatusNoContent)
}

// echo gives the request back: its target, and the fields that were sent.
func (s *Shop) echo(w http.ResponseWriter, r *http.Request) {
	answer(w, http.StatusOK, Seen{r.Method, r.RequestURI, r.Host, r.Header, r.ContentLength})
}

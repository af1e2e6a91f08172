package storefront

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"html/template"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed pages
var pages embed.FS

var templates = template.Must(template.ParseFS(pages, "pages/checkout.html", "pages/note.html"))

// static answers one embedded file, fresh for five seconds and with a strong
// tag, so that whatever stands in front of the shop can keep it.
func static(name string) http.Handler {
	body, err := pages.ReadFile("pages/" + name)
	if err != nil {
		panic(err) // the file is part of the program
	}
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	control := "public, max-age=5"
	if name == "login.html" {
		control = "no-store"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", control)
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, path.Base(name), time.Time{}, bytes.NewReader(body))
	})
}

// note is a page with one thing to say. To a program it is told as JSON.
type note struct {
	Status      string `json:"status"`
	Reservation string `json:"reservation,omitempty"`
	Checkout    string `json:"checkout,omitempty"`
	Text        string `json:"-"`
}

// say answers with n in the form that the caller asked for.
func say(w http.ResponseWriter, r *http.Request, code int, n note) {
	w.Header().Set("Cache-Control", "no-store")
	if strings.Contains(r.Header.Get("Accept"), "application/json") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(n) // a shopper who left needs no answer
		return
	}
	render(w, code, "note.html", n)
}

// render answers with a page that is made for one shopper.
func render(w http.ResponseWriter, code int, name string, data any) {
	var page bytes.Buffer
	if err := templates.ExecuteTemplate(&page, name, data); err != nil {
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = page.WriteTo(w)
}

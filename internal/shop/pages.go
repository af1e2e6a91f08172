package shop

import (
	"fmt"
	"html"
	"net/http"
	"strings"
)

// Pictures is how many assets the gallery's page has.
const Pictures = 120

// serviceWorker answers one address by itself and passes everything else on.
const serviceWorker = `self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', e => e.waitUntil(self.clients.claim()));
self.addEventListener('fetch', e => {
	if (new URL(e.request.url).pathname === '/offline') e.respondWith(new Response('from the worker'));
});
`

// page writes one. The icon is empty, so that no browser asks for one.
func page(w http.ResponseWriter, title, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w, "<!doctype html><html lang=en><meta charset=utf-8><title>%[1]s</title><link rel=icon href=\"data:,\">"+
		"<h1>%[1]s</h1>%[2]s</html>", html.EscapeString(title), body) // who has left misses it
}

func (s *Shop) front(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=60")
	page(w, "The shop", `<form method="post" action="/toys/golden/buy"><button>Buy</button></form>`)
}

// app is a page that installs itself and has a form with a file.
func (s *Shop) app(w http.ResponseWriter, _ *http.Request) {
	page(w, "App", `<link rel=manifest href="/app.webmanifest"><form method="post" action="/files" enctype="multipart/form-data">
<input name="note" value="for the toy"><input type="file" name="file" id="file"><button id="send">Send</button></form>
<a id="download" href="/files/300000" download>download</a>`)
}

func (s *Shop) gallery(w http.ResponseWriter, _ *http.Request) {
	var pictures strings.Builder
	for i := range Pictures {
		fmt.Fprintf(&pictures, `<img src="/gallery/%d.svg" width=8 height=8 alt="">`, i)
	}
	page(w, "Gallery", pictures.String())
}

func (s *Shop) picture(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=60")
	_, _ = fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>`)
}

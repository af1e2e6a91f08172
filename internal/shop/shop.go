package shop

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// Shop is the storefront. It is an [http.Handler], and safe for use by many.
type Shop struct {
	mux   *http.ServeMux
	key   []byte // signs nothing but its own hooks
	under atomic.Int64

	mu       sync.Mutex
	seen     []Seen
	sessions map[string]*session
}

// Seen is one request as it arrived.
type Seen struct {
	Method, Target, Host string
	Header               http.Header
	Length               int64 // -1: not told
}

// mostSeen bounds what is remembered; the oldest goes first.
const mostSeen = 4096

// New opens a shop. hookKey is shared with whoever sends signed notices.
func New(hookKey string) *Shop {
	s := &Shop{mux: http.NewServeMux(), key: []byte(hookKey), sessions: map[string]*session{}}
	for pattern, handler := range map[string]http.HandlerFunc{
		"GET /{$}":                 s.front,
		"GET /toys/golden":         s.front,
		"GET /favicon.ico":         s.picture,
		"GET /robots.txt":          text("text/plain; charset=utf-8", "User-agent: *\nDisallow: /cart\n"),
		"GET /app":                 s.app,
		"GET /app.webmanifest":     text("application/manifest+json", `{"name":"Shop","start_url":"/app","display":"standalone","icons":[]}`),
		"GET /worker.js":           text("text/javascript; charset=utf-8", serviceWorker),
		"GET /gallery":             s.gallery,
		"GET /gallery/{picture}":   s.picture,
		"GET /login":               s.loginForm,
		"POST /login":              s.login,
		"GET /account":             s.account,
		"GET /hello":               s.hello,
		"GET /staff":               s.staff,
		"POST /files":              s.takeForm,
		"PUT /files/{name}":        s.takeFile,
		"GET /files/{size}":        s.giveFile,
		"GET /events":              s.events,
		"GET /lines":               s.lines,
		"GET /chat":                s.chat,
		"POST /pay/start":          s.payStart,
		"POST /pay/return":         s.payReturn,
		"POST /hooks/payment":      s.hook,
		"GET /old/relative":        moved("account?from=old", http.StatusFound),
		"GET /old/absolute":        s.movedAbsolute,
		"POST /old/form":           moved("/account", http.StatusSeeOther),
		"GET /cookies":             s.manyCookies,
		"GET /packed":              s.packed,
		"GET /tagged":              s.tagged,
		"GET /wide":                s.wide,
		"GET /none":                func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"/api/things/{id}":         s.things,
		"OPTIONS /api/things/{id}": s.preflight,
		"/echo/":                   s.echo,
	} {
		s.mux.HandleFunc(pattern, handler)
	}
	return s
}

// ServeHTTP answers one request and remembers it.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.under.Add(1)
	defer s.under.Add(-1)
	s.mu.Lock()
	s.seen = append(s.seen, Seen{r.Method, r.RequestURI, r.Host, r.Header.Clone(), r.ContentLength})
	s.seen = s.seen[max(0, len(s.seen)-mostSeen):]
	s.mu.Unlock()
	s.mux.ServeHTTP(w, r)
}

// Under is how many requests are being answered at this moment.
func (s *Shop) Under() int64 { return s.under.Load() }

// Seen are the requests with a target, in the order in which they came.
func (s *Shop) Seen(target string) (found []Seen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.seen {
		if one.Target == target {
			found = append(found, one)
		}
	}
	return found
}

func text(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, body)
	}
}

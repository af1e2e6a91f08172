package shop

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
)

// session is what the shop knows of one browser.
type session struct{ csrf, name string }

// SessionCookie names the cookie of somebody's session; PaymentCookie the one
// that must be there when the browser comes back from another site.
const (
	SessionCookie = "session"
	PaymentCookie = "payment"
)

// sessionOf is the session of a request; false: it has none.
func (s *Shop) sessionOf(r *http.Request) (*session, bool) {
	c, err := r.Cookie(SessionCookie)
	if err != nil {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.sessions[c.Value]
	return found, ok
}

// begin starts a session, under a new name as whoever logs in must get.
func (s *Shop) begin(w http.ResponseWriter, name string) *session {
	made := &session{csrf: rand.Text(), name: name}
	id := rand.Text()
	s.mu.Lock()
	s.sessions[id] = made
	s.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: SessionCookie, Value: id, Path: "/", Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	return made
}

func (s *Shop) loginForm(w http.ResponseWriter, r *http.Request) {
	mine, ok := s.sessionOf(r)
	if !ok {
		mine = s.begin(w, "")
	}
	w.Header().Set("Cache-Control", "no-store")
	page(w, "Log in", `<form method="post" action="/login"><input type="hidden" name="csrf" value="`+mine.csrf+`">
<input name="user" id="user"><button id="go">Log in</button></form>`)
}

// login checks what frameworks check: the field of the form against the session,
// and the origin of the page against what the request says that it came to.
func (s *Shop) login(w http.ResponseWriter, r *http.Request) {
	mine, ok := s.sessionOf(r)
	switch here := r.Header.Get("X-Forwarded-Proto") + "://" + r.Host; {
	case !ok:
		http.Error(w, "no session", http.StatusForbidden)
	case r.PostFormValue("csrf") != mine.csrf:
		http.Error(w, "csrf field does not fit", http.StatusForbidden)
	case r.Header.Get("Origin") != "" && r.Header.Get("Origin") != here:
		http.Error(w, fmt.Sprintf("origin %q is not %q", r.Header.Get("Origin"), here), http.StatusForbidden)
	default:
		s.begin(w, r.PostFormValue("user"))
		http.Redirect(w, r, "/account", http.StatusSeeOther)
	}
}

func (s *Shop) account(w http.ResponseWriter, r *http.Request) {
	mine, ok := s.sessionOf(r)
	if !ok || mine.name == "" {
		http.Redirect(w, r, "/login?next="+url.QueryEscape(r.RequestURI), http.StatusFound)
		return
	}
	w.Header().Set("Cache-Control", "private, no-cache")
	page(w, "Account of "+mine.name, `<a id="away" href="/tagged">more</a>`)
}

// hello greets everybody by name, and says carelessly how long that holds.
func (s *Shop) hello(w http.ResponseWriter, r *http.Request) {
	name := "stranger"
	if mine, ok := s.sessionOf(r); ok && mine.name != "" {
		name = mine.name
	}
	w.Header().Set("Cache-Control", "max-age=60")
	page(w, "Hello "+name, "")
}

// staff is behind HTTP's own login.
func (s *Shop) staff(w http.ResponseWriter, r *http.Request) {
	user, password, ok := r.BasicAuth()
	if !ok || user != "staff" || password != "päss:word" {
		w.Header().Set("WWW-Authenticate", `Basic realm="staff", charset="UTF-8"`)
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	w.Header().Set("Cache-Control", "private")
	page(w, "Staff", "")
}

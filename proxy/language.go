package proxy

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/waitroom/waitroom/static"
)

// The language that a shopper has chosen is kept by the browser in a cookie, for every
// sale and room here. It says nothing of who it is.
const (
	languageCookie = "__Host-wr-lang" // no sale is named "lang"
	languageKept   = 365 * 24 * time.Hour
)

// languageOf is the language of the page that is the answer to a request, among those
// offered, with spaces between.
func languageOf(r *http.Request, offered string) string {
	return static.Speak(cookieValue(r, languageCookie), r.Header.Get("Accept-Language"), strings.Fields(offered))
}

// changeLanguage is GET /.waitroom/language?to=de: it has the browser keep the choice and
// go back to where it was made, with its query: to what back names, or else to the page
// that the Referer names. It joins no line and posts nothing again.
func (h *house) changeLanguage(r *http.Request) answer {
	if over := h.limits.request(payer{addr: h.trust.client(r)}, time.Now()); over != nil {
		return h.tooMany(over)
	}
	a := chosenLanguage(r)
	a.ready = h.ready
	return a
}

func chosenLanguage(r *http.Request) answer {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return methodNotAllowed("GET, HEAD")
	case speculative(r): // nobody has chosen yet
		a := problem(http.StatusServiceUnavailable, "speculative", static.BadRequest)
		a.retry = time.Second
		return a
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	to := query.Get("to")
	if err != nil || !slices.Contains(static.Languages(), to) {
		return badRequest(errors.New("to: not a language that pages are in"))
	}
	a := answer{status: http.StatusSeeOther, decision: "language", location: wayBack(r, query.Get("back"))}
	if r.Method == http.MethodGet && !framed(r) {
		a.cookies = []*http.Cookie{ownCookie(languageCookie, to, languageKept)}
	}
	return a
}

// wayBack is where a choice of the language leads: to an address of this host, whatever
// was asked for.
func wayBack(r *http.Request, back string) string {
	if from, err := url.Parse(r.Referer()); back == "" && err == nil && foldHost(from.Host) == foldHost(r.Host) {
		back = from.RequestURI()
	}
	if !isBack(back) {
		return "/"
	}
	return back
}

package proxy

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/waitroom/waitroom/proxy/cache"
	"github.com/waitroom/waitroom/proxy/stitch"
	"github.com/waitroom/waitroom/static"
)

// answer is what a request gets that does not go to the origin. It is said as a
// page to browsers that navigate and as JSON to everyone else.
type answer struct {
	status   int
	decision string // for record and metrics: one of a few constants
	reason   string // for the record, where the decision has more than one
	body     any    // the JSON
	page     static.Page
	view     static.View
	retry    time.Duration // above zero: Retry-After
	cookies  []*http.Cookie
	location string // with 303
	allow    string // with 405
	waits    bool   // who asks is not refused, but has to wait: see toLine
	ready    *ready // where a page lies ready that says the same to many; nil: it is for one
}

// refusalBody is the JSON of an answer that has nothing to say but a code.
type refusalBody struct {
	Status string `json:"status"`
}

// problem is an answer whose JSON is a bare code.
func problem(status int, code string, page static.Page) answer {
	return answer{status: status, decision: code, body: refusalBody{code}, page: page}
}

// send writes an answer. Nothing that waitroom says about one shopper may be
// stored by anybody.
//
// pack packs pages; with nil they go out plain.
func (a answer) send(w http.ResponseWriter, r *http.Request, pack *stitch.Packer) {
	if a.page != "" && framed(r) {
		a = a.inFrame(r)
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	for _, c := range a.cookies {
		http.SetCookie(w, c)
	}
	if a.retry > 0 {
		h.Set("Retry-After", retryAfter(a.retry))
	}
	if a.allow != "" {
		h.Set("Allow", a.allow)
	}
	if a.location != "" {
		h.Set("Location", a.location)
		w.WriteHeader(a.status)
		return
	}
	if a.page != "" && wantsPage(r) {
		a.sendPage(w, r, pack)
		return
	}
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	writeBody(w, r, a.status, a.json())
}

func (a answer) json() []byte {
	if bare, ok := a.body.(refusalBody); ok { // most refusals: codes need no escapes
		return []byte(`{"status":"` + bare.Status + `"}` + "\n")
	}
	body, err := json.Marshal(a.body)
	if err != nil {
		panic("answer " + a.decision + ": " + err.Error()) // only plain fields
	}
	return append(body, '\n')
}

func (a answer) sendPage(w http.ResponseWriter, r *http.Request, pack *stitch.Packer) {
	a.view.Retry = a.retry
	a.view.Lang, a.view.Posted = languageOf(r, a.view.Offered), !slices.Contains(gets, r.Method)
	h := w.Header()
	h.Set("Content-Language", a.view.Lang)
	body, err := a.render(h, r, pack)
	if err != nil {
		panic("answer " + a.decision + ": " + err.Error()) // only known pages
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", static.ContentSecurityPolicy(a.page, a.view))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Referrer-Policy", "same-origin")
	writeBody(w, r, a.status, body)
}

// render gives the page, packed where the request takes that. What is secret in it is
// not: its length would tell what else there is like it.
func (a answer) render(h http.Header, r *http.Request, pack *stitch.Packer) ([]byte, error) {
	h.Add("Vary", "Accept-Encoding")
	packs := pack != nil && cache.TakesGzip(r.Header.Values("Accept-Encoding"))
	if packs {
		h.Set("Content-Encoding", "gzip")
	}
	if a.ready != nil {
		one, err := a.ready.render(a.page, a.view)
		if packs {
			return one.packed, err
		}
		return one.plain, err
	}
	body, err := static.Render(a.page, a.view)
	if err == nil && packs {
		secret := a.view.Kept != "" || a.view.Reservation != ""
		body = pack.Pack(body, static.Same(a.page, a.view), secret)
	}
	return body, err
}

func writeBody(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client may have left
	}
}

// retryAfter is a wait in whole seconds, rounded up, at least one (RFC 9110,
// 10.2.3).
func retryAfter(d time.Duration) string {
	return strconv.Itoa(max(1, int((d+time.Second-1)/time.Second)))
}

// wantsPage reports whether the answer is for a person to read: a navigation,
// as browsers mark it, or, from those that do not, a request that asks for HTML
// and was not made by a script.
func wantsPage(r *http.Request) bool {
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" {
		return mode == "navigate"
	}
	if r.Header.Get("X-Requested-With") != "" {
		return false
	}
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}

// toLine turns the answer to a form that a browser posted, unless it is a
// refusal, into a redirect to the line's page, so that a reload posts nothing. Who has
// no ticket and asked for none does not wait: opening that page would be a way to join.
func (a answer) toLine(r *http.Request, id string) answer {
	goesOn := a.status < http.StatusBadRequest || a.waits
	if goesOn && a.location == "" && wantsPage(r) && r.Method == http.MethodPost {
		a.status, a.location, a.retry = http.StatusSeeOther, linePath(id), 0 // the page says when
	}
	return a
}

// speculative reports whether nobody asked for this yet: a prefetch, a preview.
func speculative(r *http.Request) bool {
	return r.Header.Get("Sec-Purpose") != "" || r.Header.Get("Purpose") != "" || r.Header.Get("X-Moz") != ""
}

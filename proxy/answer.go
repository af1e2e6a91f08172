package proxy

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/waitroom/waitroom/proxy/cache"
	"github.com/waitroom/waitroom/static"
)

// answer is what a request gets that does not go to the origin. It is said as a
// page to browsers that navigate and as JSON to everyone else.
type answer struct {
	status   int
	decision string // for record and metrics: one of a few constants
	reason   string // for the record, where the decision has more than one
	code     string // all that the JSON says, where there is no body
	body     any    // the JSON
	page     static.Page
	view     static.View
	retry    time.Duration // above zero: Retry-After
	cookies  []*http.Cookie
	location string // with 303
	allow    string // with 405
	waits    bool   // who asks is not refused, but has to wait: see toLine
	ready    *ready // where a page lies ready that says the same to many; nil: it is for one
	common   bool   // the page says the same to all who ask now
	own      bool   // put has made its body for it alone
}

// problem is an answer whose JSON is a bare code.
func problem(status int, code string, page static.Page) answer {
	return answer{status: status, decision: code, code: code, page: page}
}

// send writes an answer by way of a server of net/http.
func (a *answer) send(w http.ResponseWriter, q *question, h *house) {
	to := head{header: w.Header()}
	body := a.put(&to, nil, q, h)
	if a.location != "" {
		w.WriteHeader(a.status)
		return
	}
	writeBody(w, q, a.status, body)
}

// put writes the head of an answer, and gives its body: what is one shopper's in the
// room of into, if there is enough. Nothing that waitroom says about one shopper may be
// stored by anybody.
//
// h packs pages; with nil they go out plain.
func (a *answer) put(to *head, into []byte, q *question, h *house) (body []byte) {
	if a.page != "" && q.framed() {
		*a = a.inFrame(q)
	}
	to.begin(a.status)
	to.add("Cache-Control", "no-store")
	for _, c := range a.cookies {
		to.add("Set-Cookie", c.String())
	}
	if a.retry > 0 {
		to.add("Retry-After", retryAfter(a.retry))
	}
	if a.allow != "" {
		to.add("Allow", a.allow)
	}
	switch {
	case a.location != "":
		to.add("Location", a.location)
		return nil
	case a.page != "" && q.wantsPage():
		return a.putPage(to, into, q, h)
	}
	to.add("Content-Type", "application/json")
	to.add("X-Content-Type-Options", "nosniff")
	return a.appendJSON(into)
}

// appendJSON appends what a program is told.
func (a *answer) appendJSON(b []byte) []byte {
	a.own = true
	if a.body == nil {
		return append(appendText(b, `{"status":"`, a.code), "}\n"...)
	}
	if body, ok := a.body.(said); ok {
		return append(body.appendTo(b), '\n')
	}
	body, err := json.Marshal(a.body)
	if err != nil {
		panic("answer " + a.decision + ": " + err.Error()) // only plain fields
	}
	return append(append(b, body...), '\n')
}

func (a *answer) putPage(to *head, into []byte, q *question, h *house) []byte {
	a.view.Retry = a.retry
	a.view.Lang, a.view.Posted = languageOf(q, a.view.Offered, h), !q.reads()
	to.add("Content-Language", a.view.Lang)
	body, err := a.render(to, into, q, h)
	if err != nil {
		panic("answer " + a.decision + ": " + err.Error()) // only known pages
	}
	to.add("Content-Type", "text/html; charset=utf-8")
	to.add("Content-Security-Policy", static.ContentSecurityPolicy(a.page, a.view))
	to.add("X-Content-Type-Options", "nosniff")
	to.add("X-Robots-Tag", "noindex")
	to.add("Referrer-Policy", "same-origin")
	return body
}

// render gives the page, packed where the request takes that. What is secret in it is
// not: its length would tell what else there is like it.
func (a *answer) render(to *head, into []byte, q *question, h *house) ([]byte, error) {
	to.add("Vary", "Accept-Encoding")
	packs := h != nil && cache.TakesGzip(q.lines("Accept-Encoding"))
	if packs {
		to.add("Content-Encoding", "gzip")
	}
	if a.ready != nil || a.common {
		one, err := a.lying(h)
		if packs {
			return one.packed, err
		}
		return one.plain, err
	}
	if h != nil {
		if body, ok := h.sheets.render(into, a.page, &a.view, h.pack, packs); ok {
			a.own = true
			return body, nil
		}
	}
	body, err := static.Render(a.page, a.view)
	if err == nil && packs {
		secret := a.view.Kept != "" || a.view.Reservation != ""
		body = h.pack.Pack(body, static.Same(a.page, a.view), secret)
	}
	return body, err
}

// lying is the page where it lies ready for many.
func (a *answer) lying(h *house) (readyPage, error) {
	if a.ready != nil {
		return a.ready.render(a.page, &a.view)
	}
	return h.common.render(a.page, &a.view, h.pack)
}

func writeBody(w http.ResponseWriter, q *question, status int, body []byte) {
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	if q.method != http.MethodHead {
		_, _ = w.Write(body) // the client may have left
	}
}

// retryAfter is a wait in whole seconds, rounded up, at least one (RFC 9110,
// 10.2.3).
func retryAfter(d time.Duration) string {
	return strconv.Itoa(max(1, int((d+time.Second-1)/time.Second))) // below a hundred it is no new memory
}

// wantsPage reports whether the answer is for a person to read: a navigation,
// as browsers mark it, or, from those that do not, a request that asks for HTML
// and was not made by a script.
func (q *question) wantsPage() bool {
	if mode := q.field("Sec-Fetch-Mode"); mode != "" {
		return mode == "navigate"
	}
	if q.field("X-Requested-With") != "" {
		return false
	}
	return strings.Contains(q.field("Accept"), "text/html")
}

// toLine turns the answer to a form that a browser posted, unless it is a
// refusal, into a redirect to the line's page, so that a reload posts nothing. Who has
// no ticket and asked for none does not wait: opening that page would be a way to join.
func (a answer) toLine(q *question, id string) answer {
	goesOn := a.status < http.StatusBadRequest || a.waits
	if goesOn && a.location == "" && q.method == http.MethodPost && q.wantsPage() {
		a.status, a.location, a.retry = http.StatusSeeOther, linePath(id), 0 // the page says when
	}
	return a
}

// speculative reports whether nobody asked for this yet: a prefetch, a preview.
func (q *question) speculative() bool {
	return q.field("Sec-Purpose") != "" || q.field("Purpose") != "" || q.field("X-Moz") != ""
}

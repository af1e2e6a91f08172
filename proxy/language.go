package proxy

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

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
func languageOf(q *question, offered string, h *house) string {
	wish, accept := q.cookie("", languageCookie), q.field("Accept-Language")
	if h == nil {
		return static.Speak(wish, accept, strings.Fields(offered))
	}
	return h.speech.of(wish, accept, offered)
}

const (
	mostSpeech    = 1 << 12 // choices that are remembered
	longestSpeech = 256     // bytes of what a browser says of its languages; longer is not remembered
)

// speech remembers which language was chosen: to read what browsers say of those that
// they like takes longer than all else that a page costs which lies ready.
type speech struct {
	chosen *lru.Cache[spoken, string]
}

// spoken is what a language is chosen by.
type spoken struct{ wish, accept, offered string }

func newSpeech() speech {
	chosen, _ := lru.New[spoken, string](mostSpeech) // only sizes below one fail
	return speech{chosen}
}

// of is static.Speak.
func (s speech) of(wish, accept, offered string) string {
	said := spoken{wish, accept, offered}
	if tag, ok := s.chosen.Get(said); ok {
		return tag
	}
	tag := static.Speak(wish, accept, strings.Fields(offered))
	if len(wish)+len(accept) <= longestSpeech {
		s.chosen.Add(spoken{strings.Clone(wish), strings.Clone(accept), offered}, tag)
	}
	return tag
}

// changeLanguage is GET /.waitroom/language?to=de: it has the browser keep the choice and
// go back to where it was made, with its query: to what back names, or else to the page
// that the Referer names. It joins no line and posts nothing again.
func (h *house) changeLanguage(q *question) answer {
	if over := h.limits.request(payer{addr: h.trust.client(q)}, time.Now()); over != nil {
		return h.tooMany(over)
	}
	a := chosenLanguage(q)
	a.ready = h.ready
	return a
}

func chosenLanguage(q *question) answer {
	switch {
	case !q.reads():
		return methodNotAllowed("GET, HEAD")
	case q.speculative(): // nobody has chosen yet
		a := problem(http.StatusServiceUnavailable, "speculative", static.BadRequest)
		a.retry = time.Second
		return a
	}
	query, err := url.ParseQuery(q.query)
	to := query.Get("to")
	if err != nil || !slices.Contains(static.Languages(), to) {
		return badRequest(errors.New("to: not a language that pages are in"))
	}
	a := answer{status: http.StatusSeeOther, decision: "language", location: wayBack(q, query.Get("back"))}
	if q.method == http.MethodGet && !q.framed() {
		a.cookies = []*http.Cookie{ownCookie(languageCookie, to, languageKept)}
	}
	return a
}

// wayBack is where a choice of the language leads: to an address of this host, whatever
// was asked for.
func wayBack(q *question, back string) string {
	if from, err := url.Parse(q.field("Referer")); back == "" && err == nil && foldHost(from.Host) == foldHost(q.host) {
		back = from.RequestURI()
	}
	if !isBack(back) {
		return "/"
	}
	return back
}
